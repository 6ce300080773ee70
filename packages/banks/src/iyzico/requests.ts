import type {
  Address,
  BasketItem,
  CardRequest,
  CompletionRequest,
  EnrolmentRequest,
  FollowUpRequest,
} from "@holdfast/acquirer";
import { amountText } from "@holdfast/acquirer/kit";

import type { IyzicoSettings } from "./iyzico-settings.ts";

/** One request: the signature covers `path` and these exact bytes of `body`. Its answer repeats `conversationId`. */
export type IyzicoRequest = { path: string; body: string; conversationId: string };

/**
 * A sale, a pre-authorization, or the first half of 3-D Secure of either. `conversationId` is the order, by
 * which an inquiry finds all of its movements; `basketId` is our reference, which the inquiry returns.
 */
export function paymentRequest(
  path: string,
  request: CardRequest | EnrolmentRequest,
  settings: IyzicoSettings,
): IyzicoRequest {
  const { card, customer = {}, orderId, reference } = request;
  const { defaults, locale } = settings;
  const billing = billingOf(request, settings);
  const lines = basketOf(request, defaults.item);
  if (!billing || !lines) throw new TypeError("a field that iyzico needs is missing");
  const name = buyerName(request);
  const contact = `${name.name} ${name.surname}`;
  return jsonRequest(path, {
    locale,
    conversationId: orderId,
    // The basket's sum is the order's price; the card is charged more if the buyer pays for installments.
    price: amountText(sumOf(lines)),
    paidPrice: amountText(request.amountMinor),
    currency: request.currency,
    installment: request.installmentCount,
    basketId: reference,
    paymentChannel: "WEB",
    paymentGroup: "PRODUCT",
    ...("returnUrl" in request && { callbackUrl: request.returnUrl }),
    paymentCard: {
      cardHolderName: request.cardHolderName,
      cardNumber: card.pan,
      expireYear: card.expiryYear,
      expireMonth: card.expiryMonth,
      cvc: card.cvv,
      registerCard: 0,
    },
    buyer: {
      id: customer.id ?? orderId,
      ...name,
      identityNumber: customer.identityNumber ?? defaults.identityNumber,
      email: customer.email ?? defaults.email,
      gsmNumber: customer.phone,
      registrationAddress: lineOf(billing),
      city: billing.city,
      country: billing.country,
      zipCode: billing.postalCode,
      ip: customer.ip ?? defaults.ip,
    },
    shippingAddress: addressOf(customer.shippingAddress ?? billing, contact),
    billingAddress: addressOf(billing, contact),
    basketItems: lines.map(itemOf),
  });
}

/** The first field that iyzico demands and that neither the request nor the account has. */
export function missingField(
  request: Pick<CardRequest, "customer" | "basket">,
  settings: IyzicoSettings,
): string | undefined {
  const { customer, basket = [] } = request;
  const { email, identityNumber, item } = settings.defaults;
  if ((customer?.email ?? email) === undefined) return "customer.email";
  if ((customer?.identityNumber ?? identityNumber) === undefined) return "customer.identityNumber";
  if (!billingOf(request, settings)) return "customer.billingAddress";
  return item === undefined && !hasPrice(basket) ? "basket" : undefined;
}

function billingOf(
  { customer }: Pick<CardRequest, "customer">,
  { defaults }: IyzicoSettings,
): Address | undefined {
  return customer?.billingAddress ?? customer?.shippingAddress ?? defaults.address;
}

function hasPrice(basket: readonly BasketItem[]): boolean {
  return basket.some(({ amountMinor }) => amountMinor > 0n);
}

/**
 * iyzico requires both names. A missing one is derived from the card holder's name, whose last word is the
 * surname.
 */
function buyerName({ customer, cardHolderName }: CardRequest): { name: string; surname: string } {
  const words = cardHolderName.trim().split(/\s+/);
  const last = words.at(-1)!;
  return {
    name: customer?.name ?? (words.slice(0, -1).join(" ") || last),
    surname: customer?.surname ?? last,
  };
}

function addressOf(address: Address, contact: string) {
  return {
    contactName: address.contactName ?? contact,
    address: lineOf(address),
    city: address.city,
    country: address.country,
    zipCode: address.postalCode,
  };
}

function lineOf({ line1, line2 }: Address): string {
  return line2 === undefined ? line1 : `${line1} ${line2}`;
}

/** iyzico refuses an item without a price, which adds nothing to the sum that it checks. */
function basketOf(
  { basket = [], amountMinor }: CardRequest,
  item: IyzicoSettings["defaults"]["item"],
): readonly BasketItem[] | undefined {
  const priced = basket.filter((given) => given.amountMinor > 0n);
  const whole = item && [{ ...item, id: "payment", amountMinor }];
  return priced.length > 0 ? priced : whole;
}

/** The sum of the basket that is sent. */
export function priceOf(request: CardRequest, { defaults }: IyzicoSettings): bigint {
  return sumOf(basketOf(request, defaults.item) ?? []);
}

function sumOf(lines: readonly BasketItem[]): bigint {
  return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

function itemOf({ id, name, category, kind, amountMinor }: BasketItem) {
  return {
    id,
    name,
    category1: category,
    itemType: kind === "physical" ? "PHYSICAL" : "VIRTUAL",
    price: amountText(amountMinor),
  };
}

/** The second half of 3-D Secure (v2). iyzico compares its amount and basket with those of the first half. */
export function completionRequest(
  { orderId, reference, amountMinor, currency, session }: CompletionRequest,
  { locale }: IyzicoSettings,
): IyzicoRequest {
  return jsonRequest("/payment/v2/3dsecure/auth", {
    locale,
    conversationId: orderId,
    paymentId: session,
    paidPrice: amountText(amountMinor),
    basketId: reference,
    currency,
  });
}

export function captureRequest(
  request: FollowUpRequest,
  paymentId: string,
  settings: IyzicoSettings,
): IyzicoRequest {
  const { amountMinor, currency } = request;
  const fields = { paidPrice: amountText(amountMinor), currency };
  return followUpRequest("/payment/postauth", request, paymentId, settings, fields);
}

/** A refund of an amount; iyzico chooses the items of the basket. */
export function refundRequest(
  request: FollowUpRequest,
  paymentId: string,
  settings: IyzicoSettings,
): IyzicoRequest {
  const { amountMinor, currency } = request;
  const fields = { price: amountText(amountMinor), currency };
  return followUpRequest("/v2/payment/refund", request, paymentId, settings, fields);
}

/** A cancel of the whole payment. */
export function cancelRequest(
  request: { reference: string; requestIp?: string },
  paymentId: string,
  settings: IyzicoSettings,
): IyzicoRequest {
  const fields = { reason: "OTHER", description: "cancel" };
  return followUpRequest("/payment/cancel", request, paymentId, settings, fields);
}

/** A separate movement is named by our reference, which an inquiry returns for cancels and refunds. */
function followUpRequest(
  path: string,
  { reference: conversationId, requestIp }: { reference: string; requestIp?: string },
  paymentId: string,
  { locale, defaults }: IyzicoSettings,
  fields: Record<string, string>,
): IyzicoRequest {
  return jsonRequest(path, { locale, conversationId, paymentId, ip: requestIp ?? defaults.ip, ...fields });
}

/** Asks for a BIN's card: the cheapest signed call that moves nothing. */
export function probeRequest({ locale }: IyzicoSettings): IyzicoRequest {
  return jsonRequest("/payment/bin/check", { locale, conversationId: "probe", binNumber: PROBE_BIN });
}

/** A test card's BIN from iyzico's sandbox, so that no cardholder's digits leave for a probe. */
const PROBE_BIN = "55287900";

function jsonRequest(
  path: string,
  fields: { conversationId: string; [name: string]: unknown },
): IyzicoRequest {
  return { path, body: JSON.stringify(fields), conversationId: fields.conversationId };
}
