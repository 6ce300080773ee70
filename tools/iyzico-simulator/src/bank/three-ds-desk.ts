import { randomUUID } from "node:crypto";

import { maskCardNumber, type Ledger } from "@holdfast/bank-simulator/core";

import type { Modes } from "../control/modes.ts";
import type { ErrorCode } from "../wire/error-codes.ts";
import type { Bank } from "./bank.ts";
import { refusalOfOrder } from "./bank-rules.ts";
import type { BankEvent, EventLine, ThreeDsStarted } from "./event-line.ts";
import type { Payment, ThreeDs } from "./payment.ts";
import { orderOf, type PaymentRequest } from "./payment-request.ts";
import type { Teller } from "./teller.ts";
import { cardPlan, type CardPlan } from "./test-cards.ts";

export type Started =
  | { kind: "started"; payment: Payment; durable: Promise<void> }
  | { kind: "refused"; code: ErrorCode };

/** The cardholder's action on the page of the bank. */
export type CardholderAnswer = "right_code" | "wrong_code" | "cancelled";

/** The steps of 3-D Secure that move no money; they are written to a file next to the ledger. */
export class ThreeDsDesk {
  readonly #bank: Bank;
  readonly #events: Ledger<EventLine>;
  readonly #teller: Teller;
  readonly #modes: Readonly<Modes>;
  readonly #now: () => number;

  constructor(
    bank: Bank,
    events: Ledger<EventLine>,
    teller: Teller,
    modes: Readonly<Modes>,
    now: () => number,
  ) {
    this.#bank = bank;
    this.#events = events;
    this.#teller = teller;
    this.#modes = modes;
    this.#now = now;
  }

  start(
    merchantId: string,
    operation: "authorize" | "sale",
    request: PaymentRequest,
    callbackUrl: string,
  ): Started {
    const plan = cardPlan(request.pan);
    const refusal = refusalOfOrder(orderOf(request), plan);
    if (refusal || !plan) return { kind: "refused", code: refusal ?? "12" };
    if (plan.threeDs === "refused") return { kind: "refused", code: "10220" };
    const event: ThreeDsStarted = {
      kind: "three_ds_started",
      token: randomUUID(),
      callbackUrl,
      conversationData: this.#modes.conversationData,
      plan: planOnDate(plan, request.expiry, new Date(this.#now())),
      paymentId: this.#bank.nextId(),
      merchantId,
      operation,
      conversationId: request.conversationId,
      basketId: request.basketId,
      currency: request.currency,
      priceMinor: Number(request.priceMinor),
      paidPriceMinor: Number(request.paidPriceMinor),
      installment: request.installment,
      pan: maskCardNumber(request.pan),
      items: this.#teller.itemFacts(request.items),
      buyerId: request.buyerId,
      ip: request.ip,
    };
    const at = new Date(this.#now()).toISOString();
    const payment = this.#bank.start({ ...event, at });
    return { kind: "started", payment, durable: this.#write(event, at) };
  }

  /** Ends the authentication, once: a second answer changes nothing. */
  async end(payment: Payment, threeDs: ThreeDs, answer: CardholderAnswer): Promise<void> {
    if (threeDs.returnStatus !== null) return this.#events.flushed();
    const { paymentId } = payment;
    const event = { kind: "three_ds_returned" as const, paymentId, ...this.#verdict(threeDs, answer) };
    this.#bank.return(event);
    await this.#write(event, new Date(this.#now()).toISOString());
  }

  #verdict({ plan }: ThreeDs, answer: CardholderAnswer): { status: "success" | "failure"; mdStatus: string } {
    if (answer !== "right_code") return { status: "failure", mdStatus: "0" };
    const { mdStatus } = this.#modes;
    if (mdStatus === null) return { status: "success", mdStatus: plan.mdStatus };
    return { status: mdStatus === "1" ? "success" : "failure", mdStatus };
  }

  #write(event: BankEvent, at: string): Promise<void> {
    return this.#events.append({ at, ...event });
  }
}

/** A card that has expired is declined with the money, as without 3-D Secure. */
function planOnDate(plan: CardPlan, expiry: string, now: Date): CardPlan {
  return expiry < now.toISOString().slice(0, 7) ? { ...plan, resultCode: "10054" } : plan;
}
