import type { Change } from "./mutant-workspace.ts";

/** A protection that is taken out, and the scenario that has to notice. */
export type Mutation = {
  name: string;
  changes: readonly Change[];
  scenario: Scenario;
};

/** File (in this folder) and name of a test that judges the copy from outside, as the running system it is. */
export type Scenario = { file: string; test: string };

const payments = "services/payments/src";
const takeover = (test: string) => ({ file: "takeover.fault.test.ts", test });
const outage = (test: string) => ({ file: "outages.fault.test.ts", test });
const afterwards = (test: string) => ({ file: "refunds-and-webhooks.fault.test.ts", test });
const everyFault = outage("every fault is answered with 202");

/**
 * Protections that only a whole running system can judge: statements, races, and survival of a kill. A decision is
 * judged by the test beside it.
 */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "the update is not guarded at all",
    changes: [
      {
        file: `${payments}/payment/payment-statements.ts`,
        search: `
      and payment.state = given."from"
      and payment.version = given.version - 1
      and payment.lease_token = given.lease_token`,
        replace: "",
      },
      {
        // The history has each version once, which would refuse the change by itself.
        file: `${payments}/payment/payment-statements.ts`,
        search: `select payment_id, version, "from", status, cause from changed`,
        replace: `select payment_id, version, "from", status, cause from changed
    on conflict do nothing`,
      },
    ],
    scenario: takeover("finds the payment reversed"),
  },
  {
    name: "the update does not ask for the lease",
    changes: [
      {
        file: `${payments}/payment/payment-statements.ts`,
        search: `
      and payment.lease_token = given.lease_token`,
        replace: "",
      },
    ],
    scenario: takeover("while its successor is at work"),
  },
  {
    name: "recovery ignores leases",
    changes: [
      {
        file: `${payments}/payment/payment-lease.ts`,
        search: `.where("recover_at", "<=", sql<Date>\`now()\`)`,
        replace: `.where("recover_at", "is not", null)`,
      },
    ],
    scenario: takeover("a live lease is respected"),
  },
  {
    name: "the deadline bounds neither the claim nor the bank's call",
    changes: [
      {
        file: `${payments}/accept/authorization/authorize-payment.ts`,
        search: "if (deps.now() > context.deadlineAt)",
        replace: "if (false)",
      },
      {
        file: `${payments}/accept/authorization/card-request.ts`,
        search: "new Date(Math.min(now() + bank.callMs, deadlineAt))",
        replace: "new Date(now() + bank.callMs + 0 * deadlineAt)",
      },
    ],
    scenario: takeover("past the deadline is never sent"),
  },
  {
    name: "FAILED without a reversal",
    changes: [
      {
        file: `${payments}/unknown/recovery/undo-payment.ts`,
        search: "() => acquirer.reverse(request)",
        replace: `async () => ({ kind: "reversed" }) as const`,
      },
    ],
    scenario: everyFault,
  },
  {
    name: "FAILED on a time-out",
    changes: [
      {
        file: `${payments}/payment/authorization-outcome.ts`,
        search: `return { to: cause === "mismatch" ? "REVERSING" : "UNKNOWN", cause, ...(heard && { heard }) };`,
        replace: `return { to: "FAILED", cause, result: { ...ACQUIRER_UNAVAILABLE, resultCode: "timeout" } };`,
      },
    ],
    scenario: everyFault,
  },
  {
    name: "no idempotency row",
    changes: [
      {
        file: `${payments}/payment/payment-writes.ts`,
        search: "const keyed = items.some((item) => item.idempotency_key !== null);",
        replace: "const keyed = false;",
      },
    ],
    scenario: outage("is one payment and one answer"),
  },
  {
    name: "no event in the outbox",
    changes: [
      {
        file: `${payments}/payment/payment-statements.ts`,
        search: `
    where webhook_body is not null
  )`,
        replace: `
    where false
  )`,
      },
    ],
    scenario: everyFault,
  },
  {
    name: "an event that is left to its process is left to it forever",
    changes: [
      {
        file: `${payments}/payment/payment-statements.ts`,
        search: "now() + $1 * interval '1 millisecond'",
        replace: "'infinity'::timestamptz + $1 * interval '0'",
      },
    ],
    scenario: {
      file: "recovery-points.fault.test.ts",
      test: "killed between the record's commit and its publishing",
    },
  },
  {
    name: "no answer in time counts as not started",
    changes: [
      {
        file: "packages/messaging/src/request.ts",
        search: `if (error instanceof TimeoutError || error instanceof RequestError) return { outcome: "in_doubt" };`,
        replace: `if (error instanceof TimeoutError || error instanceof RequestError) return { outcome: "not_started" };`,
      },
    ],
    scenario: { file: "recovery-points.fault.test.ts", test: "killed after the bank approved" },
  },
  {
    name: "checkout: a second tab is not asked",
    changes: [
      {
        file: `${payments}/accept/checkout/pay-checkout.ts`,
        search: `if (!checkout || !mayBePaid(checkout.standing, checkout.attempt, checkoutAttemptsMax)) return false;`,
        replace: `if (!checkout) return false;`,
      },
    ],
    scenario: {
      file: "checkouts.fault.test.ts",
      test: "of three tabs that send each form twice at once one pays",
    },
  },
  {
    name: "checkout: a form sent again is another payment",
    changes: [
      {
        file: "services/api-gateway/src/public-pages/checkout/pay-by-form.ts",
        search: `const paymentId = form.get("paymentId")!;`,
        replace: `const paymentId = crypto.randomUUID();`,
      },
    ],
    scenario: { file: "checkouts.fault.test.ts", test: "a form sent again after its process was killed" },
  },
  {
    name: "refunds: each call of the bank has a reference of its own",
    changes: [
      {
        file: `${payments}/follow-up/refund-reservation/ask-about-refund.ts`,
        search: "refundReference(refund.refundId)",
        replace: "`${refundReference(refund.refundId)}:${Date.now()}`",
      },
    ],
    scenario: afterwards("and the bank pays once"),
  },
  {
    name: "webhooks: an event is confirmed before it is committed",
    changes: [
      {
        file: "services/webhook-dispatcher/src/accept/accept-batch.ts",
        search: `  const accepted = arrivals.length === 0 ? [] : await acceptWhenPossible(deps, arrivals, isStopping);`,
        replace: `  for (const { message } of arrivals) message.ack();
  for (const { event } of arrivals) deps.confirmations.add(event.source, event.eventId);
  const accepted = arrivals.length === 0 ? [] : await acceptWhenPossible(deps, arrivals, isStopping);`,
      },
    ],
    scenario: afterwards("dispatchers that die before they could commit"),
  },
];
