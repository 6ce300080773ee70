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
const everyFault = outage("every fault is answered with 202");

/** Each protection of the money path, taken out once. */
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
    name: "the deadline is not checked after the claim",
    changes: [
      {
        file: `${payments}/authorization/authorize-payment.ts`,
        search: "if (deps.now() > context.deadlineAt)",
        replace: "if (false)",
      },
    ],
    scenario: takeover("past the deadline is never sent"),
  },
  {
    name: "the deadline bounds neither the claim nor the bank's call",
    changes: [
      {
        file: `${payments}/authorization/authorize-payment.ts`,
        search: "if (deps.now() > context.deadlineAt)",
        replace: "if (false)",
      },
      {
        file: `${payments}/authorization/card-request.ts`,
        search: "new Date(Math.min(now() + acquirerTimeoutMs, deadlineAt))",
        replace: "new Date(now() + acquirerTimeoutMs + 0 * deadlineAt)",
      },
    ],
    scenario: takeover("past the deadline is never sent"),
  },
  {
    name: "FAILED without a reversal",
    changes: [
      {
        file: `${payments}/recovery/undo-payment.ts`,
        search: "const reversal = await deps.acquirers.of(payment.account_id).reverse(request);",
        replace: `const reversal = await (async (_request: object) => ({ kind: "reversed" }))(request);`,
      },
    ],
    scenario: everyFault,
  },
  {
    name: "a refused reversal counts as done",
    changes: [
      {
        file: `${payments}/recovery/decide-undo.ts`,
        search: `result: { kind: "wait", cause: "reversal_refused" },`,
        replace: `result: { kind: "undone", by: "reversal" },`,
      },
    ],
    scenario: outage("refuses a reversal ten times"),
  },
  {
    name: "no tombstone: what the bank has not seen is FAILED",
    changes: [
      {
        file: `${payments}/recovery/decide-recovery.ts`,
        search: `? { action: "reverse", cause: "not_found" }`,
        replace: `? { action: "settle", to: "FAILED", cause: "not_found", result: REVERSED }`,
      },
    ],
    scenario: everyFault,
  },
  {
    name: "FAILED on a time-out",
    changes: [
      {
        file: `${payments}/payment/authorization-outcome.ts`,
        search: `return { to: outcome.reason === "mismatch" ? "REVERSING" : "UNKNOWN", cause: outcome.reason };`,
        replace: `return { to: "FAILED", cause: outcome.reason, result: { ...ACQUIRER_UNAVAILABLE, resultCode: "timeout" } };`,
      },
    ],
    scenario: everyFault,
  },
  {
    name: "a time-out counts as never sent",
    changes: [
      {
        file: "packages/acquirer/src/bounded-http-client.ts",
        search: `this.#end(this.#started ? unknown("timeout") : NOT_SENT);`,
        replace: "this.#end(NOT_SENT);",
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
    name: "the payment is made whoever has the key",
    changes: [
      {
        file: `${payments}/payment/payment-statements.ts`,
        search: `"where idempotency_key is null or payment_id in (select resource_id from keyed)"`,
        replace: `""`,
      },
    ],
    scenario: outage("is one payment and one answer"),
  },
  {
    name: "a key's second request is not compared with its first",
    changes: [
      {
        file: "packages/idempotency/src/decide-replay.ts",
        search: `if (!isCopy && !isSame) return { kind: "reused" };`,
        replace: "void isSame;",
      },
    ],
    scenario: outage("with two different bodies under one key"),
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
];
