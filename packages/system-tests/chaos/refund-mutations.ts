// oxlint-disable max-lines -- a table reads best in one piece
import type { Mutation } from "./mutations.ts";

const payments = "services/payments/src";
const refunds = "services/refunds/src";
const reservation = `${payments}/refund-reservation/reserve-refund.ts`;
const requesting = (test: string) => scenario(`${refunds}/request/request-refund.service.test.ts`, test);
const claimed = (test: string) => scenario(`${refunds}/request/claimed-request.service.test.ts`, test);
const deciding = (test: string) => scenario(`${refunds}/operator/decide-refund.service.test.ts`, test);
const recovering = (test: string) => scenario(`${refunds}/recovery/recovery.service.test.ts`, test);
const reserving = (test: string) =>
  scenario(`${payments}/refund-reservation/reserve-refund.service.test.ts`, test);
const killing = (test: string) => scenario("services/refunds/test/kill.fault.test.ts", test);
const modelled = scenario("services/refunds/test/model.service.test.ts", "random histories");

function scenario(file: string, test: string) {
  return { file, test, inCopy: true };
}

/** Each protection of refunds, taken out once. */
export const REFUND_MUTATIONS: readonly Mutation[] = [
  {
    name: "refunds: what remains is not compared",
    changes: [
      {
        file: `${payments}/operation/payment-operation.ts`,
        search: "if (amountMinor > remaining) {",
        replace: "if (amountMinor < 0n) {",
      },
    ],
    scenario: modelled,
  },
  {
    name: "refunds: the payment's row is not locked",
    changes: [
      {
        file: reservation,
        search: "const payment = await lockPayment(trx, request.paymentId, merchantId);",
        replace: `const payment = await trx.selectFrom("payment").selectAll()
      .where("payment_id", "=", request.paymentId).where("merchant_id", "=", merchantId).executeTakeFirst();`,
      },
    ],
    scenario: reserving("raced over two processes"),
  },
  {
    name: "refunds: another merchant's payment can be refunded",
    changes: [
      {
        file: reservation,
        search: "const payment = await lockPayment(trx, request.paymentId, merchantId);",
        replace: `const payment = await trx.selectFrom("payment").selectAll()
      .where("payment_id", "=", request.paymentId).forUpdate().executeTakeFirst();`,
      },
    ],
    scenario: reserving(""),
  },
  {
    name: "refunds: a release of an unknown refund leaves no tombstone",
    changes: [
      {
        file: reservation,
        search: `(to === "RELEASED" ? await insertTombstone(trx, refundId) : undefined);`,
        replace: `(to === "RELEASED" && Date.now() < 0 ? await insertTombstone(trx, refundId) : undefined);`,
      },
    ],
    scenario: reserving(""),
  },
  {
    name: "refunds: a refusal leaves no tombstone",
    changes: [
      {
        file: reservation,
        search: `const overtaken = await insertReservation(trx, request, tombstone);`,
        replace: `const overtaken = tombstone.merchantId === "" ? await insertReservation(trx, request, tombstone) : undefined;`,
      },
    ],
    scenario: reserving(""),
  },
  {
    name: "refunds: an end is counted each time it is told",
    changes: [
      {
        file: reservation,
        search: `if (reservation.state === to || (`,
        replace: `if ((`,
      },
      {
        file: reservation,
        search: `if (reservation.state !== "ACTIVE") return { outcome: "problem", code: "refund_already_decided" };`,
        replace: "",
      },
    ],
    scenario: reserving(""),
  },
  {
    name: "refunds: a request is shown before its amount is reserved",
    changes: [
      {
        file: `${refunds}/request/request-refund.ts`,
        search: `    case "not_started":
      return await drop(deps, refund, "payments_unavailable");
    case "pending":
    case "in_doubt":
      return await leaveToRecovery(deps, refund);`,
        replace: `    case "not_started":
    case "pending":
    case "in_doubt":
      await leaveToRecovery(deps, refund);
      return { outcome: "pending", result: refund } as never;`,
      },
    ],
    scenario: requesting("with payments away"),
  },
  {
    name: "refunds: the deadline is not checked after the claim",
    changes: [
      {
        file: `${refunds}/request/request-refund.ts`,
        search: "if (deps.now() > request.deadlineAt)",
        replace: "if (deps.now() < 0)",
      },
    ],
    scenario: claimed("past the deadline"),
  },
  {
    name: "refunds: a request is dropped under anybody's lease",
    changes: [
      {
        file: `${refunds}/request/drop-refund.ts`,
        search: `
    .where("lease_token", "=", refund.lease_token)`,
        replace: "",
      },
    ],
    scenario: claimed("only under the lease"),
  },
  {
    name: "refunds: what a crash left RESERVING is not undone",
    changes: [
      {
        file: `${refunds}/recovery/recover-refund.ts`,
        search: `if (refund.state === "RESERVING") await undoRequest(deps, refund);`,
        replace: `if (refund.state === "RESERVING") void undoRequest;`,
      },
    ],
    scenario: killing("while a refund is asked for, after_claim"),
  },
  {
    name: "refunds: the row goes before its reservation is released",
    changes: [
      {
        file: `${refunds}/recovery/recover-refund.ts`,
        search: "const reply = await deps.payments.release(refund);",
        replace: `const reply = { outcome: "done" } as { outcome: "done" } | { outcome: "problem"; code: string };`,
      },
    ],
    scenario: killing("while a refund is asked for, after_reservation"),
  },
  {
    name: "refunds: the update asks neither for state nor for the lease",
    changes: [
      {
        file: `${refunds}/refund/change-refund.ts`,
        search: `
    .where("state", "=", refund.state)
    .where(sql<boolean>\`lease_token is not distinct from \${refund.lease_token}\`)`,
        replace: "",
      },
    ],
    scenario: recovering("and comes back"),
  },
  {
    name: "refunds: the update does not ask for the lease",
    changes: [
      {
        file: `${refunds}/refund/change-refund.ts`,
        search: `
    .where(sql<boolean>\`lease_token is not distinct from \${refund.lease_token}\`)`,
        replace: "",
      },
    ],
    scenario: recovering("while another holds the lease"),
  },
  {
    name: "refunds: decisions do not wait for each other",
    changes: [
      {
        file: `${refunds}/refund/refund-queries.ts`,
        search: `
    .forUpdate()`,
        replace: "",
      },
    ],
    scenario: deciding("of ten decisions at once"),
  },
  {
    name: "refunds: a decided refund can be decided again",
    changes: [
      {
        file: `${refunds}/operator/decide-refund.ts`,
        search: `if (refund.state !== "PENDING_APPROVAL") return { outcome: "problem", code: "refund_already_decided" };`,
        replace: "",
      },
    ],
    scenario: deciding("nobody about what has been decided"),
  },
  {
    name: "refunds: who asked may approve",
    changes: [
      {
        file: `${refunds}/operator/decide-refund.ts`,
        search: `if (refund.requested_by === actor) return { outcome: "problem", code: "same_person" };`,
        replace: "",
      },
    ],
    scenario: deciding("not the operator who asked"),
  },
  {
    name: "refunds: one person's two approvals are two",
    changes: [
      {
        file: `${refunds}/operator/decide-refund.ts`,
        search: `if (!added) return undefined;`,
        replace: `if (!added) return 2;`,
      },
    ],
    scenario: deciding("two different people"),
  },
  {
    name: "refunds: each try has a reference of its own",
    changes: [
      {
        file: `${refunds}/execution/execute-refund.ts`,
        search: "return `${refund_id}:refund`;",
        replace: "return `${refund_id}:refund:${Date.now()}`;",
      },
    ],
    scenario: recovering("a bank that"),
  },
  {
    name: "refunds: a time-out is a decline",
    changes: [
      {
        file: `${refunds}/execution/execute-refund.ts`,
        search: `    case "unknown":
      return await tryLater(deps, refund, outcome.reason);`,
        replace: `    case "unknown":
      return await conclude(deps, refund, { kind: "declined", resultCode: "05", resultMessage: "no answer" } as never);`,
      },
    ],
    scenario: recovering("a bank that"),
  },
  {
    name: "refunds: the end is shown before payments knows it",
    changes: [
      {
        file: `${refunds}/execution/end-refund.ts`,
        search: `if (reply.outcome !== "done") {`,
        replace: `if (reply.outcome === "problem") {`,
      },
    ],
    scenario: recovering("with payments away"),
  },
  {
    name: "refunds: a decision that a crash cut short is not carried out",
    changes: [
      {
        file: `${refunds}/recovery/recover-refund.ts`,
        search: "else await carryOn(deps, refund, { resumed: true });",
        replace: "else void carryOn;",
      },
    ],
    scenario: killing("while an approved one is carried out, after_acquirer"),
  },
  {
    name: "refunds: no idempotency row",
    changes: [
      {
        file: `${refunds}/request/request-refund.ts`,
        search: `      return { kind: "repetition" };`,
        replace: "",
      },
    ],
    scenario: requesting("under an Idempotency-Key"),
  },
  {
    name: "refunds: no event in the outbox",
    changes: [
      {
        file: `${refunds}/refund/change-refund.ts`,
        search: "if (isFinal(state)) {",
        replace: "if (isFinal(state) && version < 0) {",
      },
    ],
    scenario: modelled,
  },
  {
    name: "refunds: a capture does not see the reservation",
    changes: [
      {
        file: `${payments}/operation/payment-operation.ts`,
        search: `operation_id === null && reserved_minor === 0n;`,
        replace: `operation_id === null && reserved_minor >= 0n;`,
      },
    ],
    scenario: reserving(""),
  },
];
