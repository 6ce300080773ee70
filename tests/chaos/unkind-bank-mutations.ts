import type { Mutation } from "./mutations.ts";

const payments = "services/payments/src";
const adapter = "packages/acquirer/src/adapters";
const movement = "packages/acquirer/src/movement.ts";

function change(file: string, search: string, replace: string) {
  return [{ file, search, replace }];
}

/** Judged by what the merchant reads, the receiver gets, and the bank has. */
function unkindBank(test: string) {
  return { file: "unkind-bank.fault.test.ts", test };
}

/** Each protection from a bank that is not kind, taken out once. */
export const UNKIND_BANK_MUTATIONS: readonly Mutation[] = [
  {
    name: "operations: they carry our expiry",
    changes: change(
      `${adapter}/simulator-bodies.ts`,
      "...(request.expiresAt && { expiresAt: request.expiresAt }),",
      "expiresAt: request.expiresAt ?? (request as unknown as { waitUntil: Date }).waitUntil,",
    ),
    scenario: {
      file: "refunds-and-webhooks.fault.test.ts",
      test: "what was promised while the bank stood still is carried out once",
    },
  },
  {
    name: "operations: too late is a decline",
    changes: change(
      movement,
      `      return "repeat_anew";
    case "reversed":`,
      `      return { kind: "declined", resultCode: "expired_request", resultMessage: "too late" };
    case "reversed":`,
    ),
    scenario: unkindBank("what the bank calls too late"),
  },
  {
    name: "operations: what was too late is asked for again under its reference",
    changes: change(movement, "return sub === 1 ? reference : ", "return sub >= 1 ? reference : "),
    scenario: unkindBank("what the bank calls too late"),
  },
  {
    name: "operations: their end is not shown",
    changes: change(
      `${payments}/payment/payment-record.ts`,
      "    ...(payment.last_operation && {",
      "    ...(payment.state === payment.currency && payment.last_operation && {",
    ),
    scenario: unkindBank("and which the bank then declines, is shown as declined"),
  },
  {
    name: "events: every one has the same version",
    changes: change(
      `${payments}/payment/payment-record.ts`,
      "    version: payment.version,",
      "    version: 1,",
    ),
    scenario: unkindBank("what the bank calls too late"),
  },
  {
    name: "reversal: settled counts as reversed",
    changes: change(
      `${payments}/recovery/decide-undo.ts`,
      `    case "reversed":
      return { result: { kind: "undone", by: "reversal" } };`,
      `    case "reversed":
    case "settled":
      return { result: { kind: "undone", by: "reversal" } };`,
    ),
    scenario: unkindBank("a sale that was settled before its reversal came"),
  },
  {
    name: "reversal: a refund that was too late counts as paid",
    changes: change(
      `${payments}/recovery/decide-undo.ts`,
      `    case "expired":
      return { result: { kind: "wait", cause: "refund_expired", next: "now" } };`,
      `    case "expired":
      return { result: { kind: "undone", by: "refund" } };`,
    ),
    scenario: unkindBank("a sale that was settled before its reversal came"),
  },
  {
    name: "reversal: it takes the amount that was asked for",
    changes: change(
      `${payments}/recovery/undo-payment.ts`,
      "const approvedMinor = await approvedAmount(deps, payment, known, found);",
      "const approvedMinor = payment.amount_minor;",
    ),
    scenario: unkindBank("is reversed in that part, and FAILED"),
  },
  {
    name: "the bank's texts keep their control characters",
    changes: change(`${adapter}/simulator-answers.ts`, `text.replace(CONTROL_CHARACTERS, "").trim()`, "text"),
    scenario: unkindBank("a bank's texts lose their control characters"),
  },
];
