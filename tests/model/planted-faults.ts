import { TRACES } from "./planted-traces.ts";
import { byKindAlone, DECLINED, judgingByKind, judgingByTime, RESULT } from "./planted-judges.ts";
import { OURS, SOFTLY_DECLINED, type Ours } from "./ours.ts";
import { PLAIN } from "./stories.ts";
import type { Kind, Scenario } from "./world.ts";

type Planted = {
  name: string;
  scenario: Scenario;
  ours: Partial<Ours>;
  what: string;
  trace: readonly string[];
};

const KIND: Kind = {
  bindsUnseen: true,
  repetition: "replay",
  namesReferences: true,
  namesCaptures: true,
  release: true,
  confirmsAmounts: false,
  sharesNames: false,
  voidsLast: false,
  clockSeconds: -3_600,
};
const SALE = { ...PLAIN, bank: KIND, crashes: 1 };
const REFUND = { ...SALE, refunds: 1 } as const;

type Plant = Omit<Planted, "name" | "scenario" | "trace"> & { scenario?: Partial<Scenario> };

/** Laws that are true at our simulator alone, and mistakes from reviews, each found again by its shortest way. */
const PLANTS: Record<string, Plant> = {
  "what the bank has not seen is sent again, wherever the first request is": {
    scenario: { ...REFUND, bank: { ...KIND, repetition: "none" } },
    ours: {
      movementOutcome: (inquiry, asked, sending) =>
        OURS.movementOutcome(inquiry, asked, sending, { repetition: "replay" }),
    },
    what: "a refund was paid twice",
  },
  "a reversal that found nothing is taken for one that binds": {
    scenario: { bank: { ...KIND, bindsUnseen: false } },
    ours: { decideAfterReversal: takingForReversed("nothing_found") },
    what: "FAILED, but the buyer was charged",
  },
  "an inquiry is taken for one about a reference": {
    scenario: { refunds: 2, bank: { ...KIND, repetition: "none", namesReferences: false } },
    ours: {
      judge: byKindAlone,
      nameGiven: () => "own",
    },
    what: "a refund is SUCCESS, but was never paid",
  },
  "a movement that seems to be older than the call is none of it": {
    scenario: { ...REFUND, bank: { ...KIND, repetition: "none", namesReferences: false } },
    ours: { judge: judgingByTime },
    what: "a refund was paid twice",
  },
  "a second refund is believed under the first one's name": {
    scenario: { refunds: 2, copies: true, bank: { ...KIND, repetition: "none", namesReferences: false } },
    ours: { nameGiven: () => "own" },
    what: "a refund is SUCCESS, but was never paid",
  },
  "equal refunds do not wait for each other where our references tell them apart": {
    scenario: { refunds: 2, copies: true, bank: { ...KIND, repetition: "none" } },
    ours: { waitsFor: (refund, others) => !refund.isNamed && OURS.waitsFor(refund, others) },
    what: "a refund is SUCCESS, but was never paid",
  },
  "a refusal without our reference is taken for ours": {
    scenario: { operations: 2, bank: { ...KIND, namesReferences: false }, type: "PRE_AUTHORIZATION" },
    ours: { judge: judgingByKind },
    what: "an operation was declined, but the bank never judged it",
  },
  "an expiry of ours is the bank's decline: an approved refund fails": {
    scenario: { ...REFUND, late: 1 },
    ours: { hear: expiryIsDecline },
    what: "an approved refund is FAILED, but the bank never judged it",
  },
  "an expiry of ours is the bank's decline: an accepted capture vanishes": {
    scenario: { type: "PRE_AUTHORIZATION", operations: 1, late: 1 },
    ours: { hear: expiryIsDecline },
    what: "an operation was declined, but the bank never judged it",
  },
  "operators may fail what the bank refuses to reverse": {
    ours: { refusalOf: (_, __, outcome) => (outcome === "FAILED" ? undefined : FORBIDDEN) },
    what: "FAILED, but the buyer was charged",
  },
  "a reversal that was not answered is not waited for": {
    ours: {
      refusalOf: (payment, reversal, ...rest) =>
        OURS.refusalOf(payment, reversal && { ...reversal, last_sent_ms_ago: null }, ...rest),
    },
    what: "SUCCESS, but the buyer was not charged the whole amount",
  },
  "a part is to be released where the bank releases none": {
    scenario: { ...REFUND, type: "PRE_AUTHORIZATION", bank: { ...KIND, release: false } },
    ours: {
      decideReservation: (payment, asked) => OURS.decideReservation(payment, { ...asked, canRelease: true }),
    },
    what: "no final state can be reached from here",
  },
  "an attempt that throws is not counted": {
    scenario: { throws: true },
    ours: { countsThrown: false },
    what: "no final state can be reached from here",
  },
  "a reversal is always of the amount that we asked for": {
    ours: { amountToReverse: ({ amount_minor }) => amount_minor },
    what: "no final state can be reached from here",
  },
  "another account is called after a lost answer": {
    scenario: { accounts: 2 },
    ours: {
      routeAfter: (outcome, route, may) => OURS.routeAfter(asUnsent(outcome), route, may),
    },
    what: "the buyer was charged twice",
  },
  "a lost answer is a soft decline, and tried at another account": {
    scenario: { accounts: 2, retries: true },
    ours: {
      routeAfter: (outcome, route, may) =>
        OURS.routeAfter(outcome.kind === "unknown" ? SOFTLY_DECLINED : outcome, route, may),
    },
    what: "the buyer was charged twice",
  },
  "a payment that is tried at another account stays with the first": {
    scenario: { accounts: 2, retries: true },
    ours: { movesPayment: false },
    what: "FAILED, but the buyer was charged",
  },
  "a time-out is a decline": {
    ours: {
      decideAuthorization: (outcome) =>
        OURS.decideAuthorization(outcome.kind === "unknown" ? { ...DECLINED, resultCode: "91" } : outcome),
    },
    what: "FAILED, but the buyer was charged",
  },
  "what the bank has accepted counts as declined": {
    scenario: { accepts: true },
    ours: {
      decideRecovery: (asked, inquiry, limits) =>
        OURS.decideRecovery(asked, isPending(inquiry) ? DECLINED : inquiry, limits),
    },
    what: "FAILED, but the buyer was charged",
  },
  "what the bank has accepted counts as approved": {
    scenario: { accepts: true },
    ours: {
      decideAuthorization: (outcome) => OURS.decideAuthorization(isPending(outcome) ? APPROVED : outcome),
    },
    what: "SUCCESS, but the buyer was not charged the whole amount",
  },
  "what finds nothing to reverse counts as unseen, whatever the bank says of it": {
    scenario: { accepts: true, bank: { ...KIND, bindsUnseen: false } },
    ours: {
      decideAfterReversal: (reversal, ageMs, limits) =>
        OURS.decideAfterReversal(reversal, ageMs, limits, true),
    },
    what: "FAILED, but the buyer was charged",
  },
  "what is settled counts as reversed": {
    ours: { decideAfterReversal: takingForReversed("settled") },
    what: "FAILED, but the buyer was charged",
  },
  "a part that was approved is a success": {
    ours: {
      decideRecovery: (asked, inquiry, limits) =>
        OURS.decideRecovery(
          asked,
          inquiry.kind === "approved" ? { ...inquiry, amountMinor: asked.amountMinor } : inquiry,
          limits,
        ),
    },
    what: "SUCCESS, but the buyer was not charged the whole amount",
  },
  "a refund of a settled charge that was declined counts as paid": {
    ours: {
      decideAfterRefund: (outcome, ...rest) =>
        OURS.decideAfterRefund(outcome.kind === "declined" ? APPROVED : outcome, ...rest),
    },
    what: "FAILED, but the buyer was charged",
  },
  "an approval is believed before the record has its amount": {
    scenario: { bank: { ...KIND, confirmsAmounts: true } },
    ours: { confirmedBy: (_, approval) => approval },
    what: "SUCCESS, but the buyer was not charged the whole amount",
  },
  "a name that a capture shares is taken for another's": {
    scenario: { type: "PRE_AUTHORIZATION", operations: 1, bank: { ...KIND, sharesNames: true } },
    ours: {
      nameGiven: (call, given, calls) => OURS.nameGiven(call, given, calls, { sharesNameOn: [] }),
    },
    what: "people have an operation that the bank carried out as asked",
  },
  "a refund does not wait for a reversal that undoes what comes last": {
    scenario: { bank: { ...KIND, repetition: "none", voidsLast: true } },
    ours: { mayBeReversed: () => false },
    what: "FAILED, but the buyer was charged",
  },
  "what the bank has not seen is never reversed": {
    ours: {
      decideRecovery: (asked, inquiry, limits) =>
        inquiry.kind === "not_found"
          ? { action: "wait", cause: "not_found" }
          : OURS.decideRecovery(asked, inquiry, limits),
    },
    what: "no final state can be reached from here",
  },
};

export const PLANTED: readonly Planted[] = Object.entries(PLANTS).map(([name, { scenario, ...plant }]) => ({
  ...plant,
  name,
  scenario: { ...SALE, ...scenario, name },
  trace: TRACES[name] ?? [],
}));

const APPROVED = {
  kind: "approved",
  amountMinor: 10n,
  currency: "TRY",
  externalTransactionId: "t",
  authCode: "1",
  ...RESULT,
} as const;
const isPending = (outcome: { kind: string; reason?: string | undefined }) =>
  outcome.kind === "unknown" && outcome.reason === "pending";
const asUnsent = (outcome: { kind: string }) => (outcome.kind === "unknown" ? { kind: "not_sent" } : outcome);
const FORBIDDEN = { outcome: "problem", code: "invalid_payment_state" } as const;

function takingForReversed(kind: "nothing_found" | "settled"): Ours["decideAfterReversal"] {
  return (reversal, ...rest) =>
    OURS.decideAfterReversal(reversal.kind === kind ? { kind: "reversed" } : reversal, ...rest);
}

function expiryIsDecline(outcome: Parameters<Ours["hear"]>[0]): ReturnType<Ours["hear"]> {
  return outcome.kind === "expired" ? DECLINED : outcome;
}
