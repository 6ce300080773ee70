import type { Mutation } from "./mutations.ts";

const refunds = "services/refunds/src";
const dispatcher = "services/webhook-dispatcher/src";

function change(file: string, search: string, replace: string) {
  return [{ file, search, replace }];
}

/** Judged by what merchants, operators, receivers, the database and the bank observe. */
function afterwards(test: string) {
  return { file: "refunds-and-webhooks.fault.test.ts", test };
}

/** Each protection of refunds and webhooks that is seen from outside, taken out once. */
export const REFUND_AND_WEBHOOK_MUTATIONS: readonly Mutation[] = [
  {
    name: "refunds: a release is not passed on to payments",
    changes: change(
      `${refunds}/refund/carry-out-refund.ts`,
      `await deps.payments.release(refund);`,
      `({ outcome: "done" } as Awaited<ReturnType<typeof deps.payments.release>>);`,
    ),
    scenario: afterwards("a rejected refund's amount is free again"),
  },
  {
    name: "refunds: each call of the bank has a reference of its own",
    changes: change(
      "services/payments/src/refund-reservation/refund-at-bank.ts",
      "refundReference(refundId, subReference)",
      "`${refundReference(refundId, subReference)}:${Date.now()}`",
    ),
    scenario: afterwards("and the bank pays once"),
  },
  {
    name: "refunds: the requester may approve",
    changes: change(
      `${refunds}/operator/decide-refund.ts`,
      `if (refund.requested_by === actor) return`,
      `if (refund.requested_by === \`not \${actor}\`) return`,
    ),
    scenario: afterwards("nobody approves the refund they asked for"),
  },
  {
    name: "refunds: whoever issued the credential may approve",
    changes: change(
      `${refunds}/operator/decide-refund.ts`,
      `if (refund.credential_issued_by === actor) return`,
      `if (refund.credential_issued_by === \`not \${actor}\`) return`,
    ),
    scenario: afterwards("nobody decides about a refund that was requested with a credential they issued"),
  },
  {
    name: "webhooks: an event is confirmed before it is committed",
    changes: change(
      `${dispatcher}/accept/accept-batch.ts`,
      `  const accepted = arrivals.length === 0 ? [] : await acceptWhenPossible(deps, arrivals);`,
      `  for (const { message } of arrivals) message.ack();
  for (const { event } of arrivals) deps.confirmations.add(event.source, event.eventId);
  const accepted = arrivals.length === 0 ? [] : await acceptWhenPossible(deps, arrivals);`,
    ),
    scenario: afterwards("dispatchers that die before they could commit"),
  },
  {
    name: "webhooks: what failed is not sent again",
    changes: change(
      `${dispatcher}/delivery/deliver.ts`,
      `if (error === undefined || delivery.trigger === "manual") return null;`,
      `if (error === undefined || delivery.attempt > 0) return null;`,
    ),
    scenario: afterwards("a receiver that fails is tried again"),
  },
];
