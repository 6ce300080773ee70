import type { CardSealer } from "@holdfast/sealing";
import {
  currencyExponent,
  parseJsonAmount,
  payCheckout,
  type CheckoutPage,
  type MessageContext,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../../database.ts";
import type { SendCommand } from "../../bus/send-command.ts";
import type { Exchange } from "../../http/exchange.ts";
import { findPayee } from "../../merchant/find-payee.ts";
import type { GenerateSession } from "../three-ds/generate-session.ts";
import { checkoutUrl } from "../public-url.ts";
import { addressOf, type PageRequest } from "./page-request.ts";
import { declineText, PAGE_TEXTS } from "./page-texts.ts";
import { readBrowser } from "./read-browser.ts";
import { readCardForm, type FormFault } from "./read-card-form.ts";
import { isUnderWay } from "./render-checkout.ts";
import type { InstallmentOffer } from "./render-form.ts";

type PayByFormDeps = {
  send: SendCommand;
  cards: CardSealer;
  db: Kysely<GatewayDatabase>;
  publicUrl: string;
  /** Used where the buyer's bank requires a challenge. */
  generateSession: GenerateSession;
};

/** A filled-in form of ours, for a checkout that exists. */
export type FilledForm = {
  exchange: Exchange;
  checkout: CheckoutPage;
  form: URLSearchParams;
  asked: PageRequest;
};

/** The browser's next step: `url`, or without one the checkout's page, which shows its state. */
export type FormAnswer =
  | { kind: "onward"; url?: string | undefined }
  | {
      kind: "faults";
      faults: (FormFault | "form.busy" | "form.incomplete")[];
      /** The present total of the chosen installments, if the form had another one. */
      priced?: InstallmentOffer;
    }
  | { kind: "declined"; texts: { heading: string; text: string } };

/** Pays a checkout with the submitted form. The payment's id is in the form: sent twice, it is one payment. */
export async function payByForm(deps: PayByFormDeps, filled: FilledForm): Promise<FormAnswer> {
  const { exchange, checkout, form, asked } = filled;
  if (checkout.status !== "OPEN" || isUnderWay(checkout)) return { kind: "onward" };
  const given = readCardForm(form, new Date());
  if (Array.isArray(given)) return { kind: "faults", faults: given };
  const caller = await readCaller(deps.db, checkout.merchantId);
  if (!caller) return { kind: "faults", faults: ["form.busy"] };

  const { checkoutId, merchantId } = checkout;
  const paymentId = form.get("paymentId")!;
  exchange.paymentId = paymentId;
  const browser = readBrowser(exchange.req.headers, form);
  const reply = await deps.send(
    payCheckout,
    { exchange, caller },
    {
      checkoutId,
      paymentId,
      cardHolderName: given.cardHolderName,
      card: deps.cards.seal(given.card, { paymentId, merchantId }),
      ...(browser && { details: deps.cards.sealDetails({ browser }, { paymentId, merchantId }) }),
      installmentCount: given.installmentCount,
      ...(given.installmentTotalMinor !== undefined && {
        installmentTotalMinor: given.installmentTotalMinor,
      }),
      ...addressOf(exchange),
      session: deps.generateSession(paymentId),
      checkoutUrl: `${checkoutUrl(deps.publicUrl, checkoutId)}?lang=${asked.locale.language}`,
    },
  );
  switch (reply.outcome) {
    case "done":
    case "pending":
      return answerOf(reply.result, asked);
    case "problem":
      exchange.code = reply.code;
      if (reply.code === "installments_not_allowed")
        return { kind: "faults", faults: ["installmentCount.invalid"] };
      if (reply.code === "installment_total_mismatch")
        return {
          kind: "faults",
          faults: ["installmentCount.price"],
          priced: { count: given.installmentCount, totalMinor: totalIn(reply.extra, checkout.currency) },
        };
      // Trying again does not help: the shop has to say more about the order.
      if (reply.code === "bank_requires_field") return { kind: "faults", faults: ["form.incomplete"] };
      // All that `payments` finds at fault is a card whose number the shop has put into the checkout.
      if (reply.code === "validation_failed") return { kind: "faults", faults: ["pan.in_checkout"] };
      return { kind: "faults", faults: ["form.busy"] };
    case "not_started":
      return { kind: "faults", faults: ["form.busy"] };
    case "in_doubt":
      // The payment may be under way: the page shows it, and if another form is sent, only one of the two pays.
      return { kind: "onward" };
    default:
      return reply satisfies never;
  }
}

function totalIn(extra: Record<string, unknown> | undefined, currency: string): string {
  const total = parseJsonAmount(String(extra?.["installmentTotal"]), currencyExponent(currency) ?? 0);
  if (typeof total !== "bigint") throw new TypeError("another total of installments has no amount");
  return total.toString();
}

function answerOf(checkout: CheckoutPage, { locale: { language } }: PageRequest): FormAnswer {
  if (checkout.challengeUrl !== undefined) return { kind: "onward", url: checkout.challengeUrl };
  if (checkout.status !== "OPEN" || isUnderWay(checkout) || !checkout.payment) return { kind: "onward" };
  const texts = PAGE_TEXTS[language];
  const text = [
    declineText(language, checkout.payment.resultCode),
    texts.notCharged,
    texts.attemptsLeft(checkout.attemptsLeft),
  ].join(" ");
  return { kind: "declined", texts: { heading: texts.declinedHeading, text } };
}

/**
 * The merchant as its own authentication would return it, with its present plan and rules. @returns undefined
 * while the merchant is suspended.
 */
async function readCaller(
  db: Kysely<GatewayDatabase>,
  merchantId: string,
): Promise<MessageContext["merchant"] | undefined> {
  const payee = await findPayee(db, merchantId);
  if (!payee?.isActive) return undefined;
  const { name: _name, isActive: _isActive, branding: _branding, ...caller } = payee;
  return caller;
}
