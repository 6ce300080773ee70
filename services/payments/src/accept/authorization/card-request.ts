import {
  orderIdOf,
  type BasketItem,
  type Browser,
  type CardRequest,
  type Customer,
} from "@holdfast/acquirer";
import type { Card, OrderDetails } from "@holdfast/contracts";
import type { Bank } from "../../bank/calls/bank.ts";
import type { PaymentToConclude } from "../../payment/authorization-outcome.ts";

/** A payment with the parts of its card request that must not be stored. */
export type CardPayment = { payment: PaymentToConclude; card: Card; details: OrderDetails };

/** The part that all card requests to the acquirer share. It expires when its caller no longer waits for the answer. */
export function cardRequestOf(
  { bank, now }: { bank: Pick<Bank, "callMs">; now: () => number },
  { payment, card, details }: CardPayment,
  { deadlineAt }: { deadlineAt: number },
): CardRequest {
  const { description, initiator } = details;
  return {
    reference: payment.payment_id,
    orderId: orderIdOf(payment.payment_id),
    expiresAt: new Date(Math.min(now() + bank.callMs, deadlineAt)),
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    card: card.reveal(),
    cardHolderName: payment.card_holder_name,
    installmentCount: payment.installment_count,
    ...(payment.loyalty_code !== null && { loyaltyCode: payment.loyalty_code }),
    customer: customerOf(payment, details),
    ...basketOf(details),
    ...(description !== undefined && { description }),
    ...(initiator && { initiator: given(initiator) }),
  };
}

/**
 * False for a payment that its merchant began, and for a payment of a series, whose later payments refer to
 * the first one's account.
 */
export function isBuyerThere({ initiator }: OrderDetails): boolean {
  if (!initiator) return true;
  const { by, channel } = initiator;
  return by === "cardholder" && (channel === "ecommerce" || channel === "moto");
}

/** The buyer for the bank: the request's data, with the payment's stored fields. */
export function customerOf(
  payment: { request_ip: string; customer_id: string | null },
  { customer = {} }: Pick<OrderDetails, "customer">,
): Customer {
  const { name, billingAddress, shippingAddress, ...rest } = customer;
  return {
    ip: payment.request_ip,
    ...(payment.customer_id !== null && { id: payment.customer_id }),
    ...(name !== undefined && namesOf(name)),
    ...given(rest),
    ...(billingAddress && { billingAddress: given(billingAddress) }),
    ...(shippingAddress && { shippingAddress: given(shippingAddress) }),
  };
}

/** Banks that ask for both names want the surname by itself: it is the last word. */
function namesOf(name: string): Pick<Customer, "name" | "surname"> {
  const words = name.trim().split(/\s+/);
  const surname = words.length > 1 ? words.pop() : undefined;
  return { name: words.join(" "), ...(surname !== undefined && { surname }) };
}

export function browserOf({ browser }: OrderDetails): { browser?: Browser } {
  return browser ? { browser: given(browser) } : {};
}

export function basketOf({ basket }: OrderDetails): { basket?: BasketItem[] } {
  if (!basket) return {};
  return {
    basket: basket.map(({ amountMinor, ...item }) => ({ ...item, amountMinor: BigInt(amountMinor) })),
  };
}

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Leaves out what has no value. */
function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
