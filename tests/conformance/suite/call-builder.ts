import { randomUUIDv7 } from "node:crypto";

import type {
  Acquirer,
  AcquirerCard,
  CardRequest,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryRequest,
  MovementKind,
  ReversalRequest,
  UnknownReason,
} from "@holdfast/acquirer";
import { inquireAbout, type Verdict } from "@holdfast/acquirer";
import { orderIdOf } from "@holdfast/acquirer";

/** Builds the calls of adapter tests, each under a new reference unless it is about an earlier one. */
export class CallBuilder {
  readonly #card: AcquirerCard;

  constructor(card: AcquirerCard) {
    this.#card = card;
  }

  card(overrides: Partial<CardRequest> = {}): CardRequest {
    const { reference = randomUUIDv7() } = overrides;
    return {
      reference,
      orderId: orderIdOf(reference),
      amountMinor: 10_000n,
      currency: "EUR",
      card: this.#card,
      cardHolderName: "Ada Lovelace",
      installmentCount: 1,
      expiresAt: this.soon(),
      ...overrides,
    };
  }

  enrolment(overrides: Partial<EnrolmentRequest> = {}): EnrolmentRequest {
    return {
      ...this.card(),
      operation: "authorize",
      returnUrl: "https://gateway.example/3ds/return/state",
      sessionExpiresAt: new Date(Date.now() + 600_000),
      ...overrides,
    };
  }

  /** Uses the parent's whole amount unless `overrides` has another. */
  followUp(parent: CardRequest, overrides: Partial<FollowUpRequest> = {}): FollowUpRequest {
    const { amountMinor, currency, orderId, installmentCount, reference: parentReference } = parent;
    const reference = randomUUIDv7();
    const target = { amountMinor, installmentCount, at: new Date() };
    const waitUntil = this.soon();
    return { reference, orderId, parentReference, target, amountMinor, currency, waitUntil, ...overrides };
  }

  reversal({ reference, orderId, amountMinor, currency }: CardRequest | FollowUpRequest): ReversalRequest {
    return {
      reference,
      orderId,
      operation: "authorize",
      target: { amountMinor, at: new Date() },
      amountMinor,
      currency,
      waitUntil: this.soon(),
    };
  }

  inquiry({
    reference,
    orderId,
    currency,
  }: Pick<CardRequest, "reference" | "orderId" | "currency">): InquiryRequest {
    return { reference, orderId, kind: "authorize", currency, waitUntil: this.soon() };
  }

  /** The outcome of a call, by an inquiry and the judgement on it. @param kind as it was called. */
  async verdict(
    acquirer: Acquirer,
    { reference, orderId, amountMinor, currency }: CardRequest | FollowUpRequest,
    kind: MovementKind = "authorize",
  ): Promise<Verdict> {
    const attempt = { reference, kind, amountMinor, currency };
    return (await inquireAbout(acquirer, { orderId }, attempt, this.soon())).verdict;
  }

  /** Carries out the authorization or the sale with which a test of follow-ups begins. */
  async approved(
    acquirer: Acquirer,
    operation: "authorize" | "sale",
    amountMinor: bigint,
  ): Promise<CardRequest> {
    const request = this.card({ amountMinor });
    const outcome = await acquirer[operation](request);
    if (outcome.kind !== "approved") throw new Error(`the ${operation} to begin with is ${outcome.kind}`);
    return request;
  }

  /** A deadline that any honest answer meets. */
  soon(): Date {
    return new Date(Date.now() + 60_000);
  }

  /** Enough time for an answer on a busy machine, and a short wait for one that never comes. */
  verySoon(): Date {
    return new Date(Date.now() + 3_000);
  }

  /** Short only where the test waits for it, so that a slow machine does not turn another reason into a time-out. */
  untilUnknown(reason: UnknownReason): Date {
    return reason === "timeout" ? this.verySoon() : this.soon();
  }
}
