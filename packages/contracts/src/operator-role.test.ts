import { expect, test } from "vitest";
import { ENDPOINTS } from "./operations/endpoints.ts";
import { ALL_COMMANDS } from "./operations/all-commands.ts";
import type { OperatorOperation } from "./operations/define-operations.ts";
import { operatorOperations } from "./operations/operations.ts";
import { mayAct, OPERATOR_ROLES, type OperatorRole } from "./operator-role.ts";

test.each<[OperatorRole, OperatorRole[]]>([
  ["viewer", ["viewer", "approver", "onboarder", "operations", "admin"]],
  ["approver", ["approver"]],
  ["onboarder", ["onboarder", "admin"]],
  ["operations", ["operations", "admin"]],
  ["admin", ["admin"]],
])("what %s may do, each of %j may", (role, enough) => {
  for (const one of OPERATOR_ROLES) expect(mayAct(new Set([one]), role), one).toBe(enough.includes(one));
  expect(mayAct(new Set(), role)).toBe(false);
  const others = OPERATOR_ROLES.filter((one) => !enough.includes(one));
  expect(mayAct(new Set(others), role), "all the others together").toBe(false);
});

/** The commands that a written route sends beside its operation's own. Those of keys are sent for merchants' staff alone. */
const LEADS_TO: Record<string, string[]> = {
  addCredential: ["gateway.make-credential"],
  revokeCredential: ["gateway.end-credential"],
  search: [
    "payments.list-for-operator",
    "payments.describe",
    "refunds.list-for-operator",
    "refunds.describe",
  ],
  getOperatorPayment: ["payments.audit-log", "refunds.list-for-operator", "webhooks.list-deliveries"],
  approveRefund: ["payments.agree-to-refund"],
  requestRefundForMerchant: ["payments.describe"],
  deleteMerchantWebhook: ["webhooks.remove-endpoint"],
  rotateMerchantWebhookSecret: ["webhooks.rotate-secret"],
  activateMerchantWebhookSecret: ["webhooks.activate-secret"],
  testMerchantWebhook: ["webhooks.test-endpoint"],
  // The key that credentials are sealed to is asked for first.
  createAcquirerAccount: ["payments.read-accounts"],
  getAcquirerAccount: ["payments.read-accounts"],
  changeAcquirerAccount: ["payments.read-accounts"],
  addChargebackEvidence: ["payments.begin-evidence"],
  previewSettlement: ["settlement.begin-upload", "settlement.add-upload-part"],
  uploadSettlement: ["settlement.begin-upload", "settlement.add-upload-part"],
  getAuditLog: ["payments.audit-log", "refunds.audit-log", "webhooks.audit-log", "settlement.audit-log"],
  listProposals: ["payments.list-proposals", "refunds.list-proposals", "settlement.list-proposals"],
};

test("an endpoint asks for the role that its commands ask for, and for no less", () => {
  expect.hasAssertions();
  for (const { operationId, role, listener } of ENDPOINTS) {
    if (listener !== "operator") continue;
    const roles = sentBy(operationId).map((subject) => roleOf(subject));
    const own = [...new Set(roles.filter((each) => each !== "viewer"))];
    if (roles.length > 0) expect(own.length > 0 ? own : roles.slice(0, 1), operationId).toEqual([role]);
  }
});

test("an endpoint takes a recent sign-in where one of its commands does", () => {
  expect.hasAssertions();
  for (const { operationId, recentSignIn, listener } of ENDPOINTS) {
    if (listener !== "operator") continue;
    const asked = sentBy(operationId).map((subject) => commandOf(subject).recentSignIn);
    if (asked.length > 0) expect(asked.includes(true), operationId).toBe(recentSignIn === true);
  }
});

test("every command of operators belongs to an endpoint", () => {
  const sent = ENDPOINTS.flatMap(({ operationId }) => sentBy(operationId));
  const asked = ALL_COMMANDS.filter(({ role }) => role !== undefined).map(({ subject }) => subject);
  expect(asked.toSorted()).toEqual([...new Set(sent)].toSorted());
});

/** The operation's own command, and the further commands that its hand-written route sends. */
function sentBy(operationId: string): string[] {
  const operation: OperatorOperation | undefined =
    operatorOperations[operationId as keyof typeof operatorOperations];
  const own = operation?.command?.subject;
  return [...(LEADS_TO[operationId] ?? []), ...(own === undefined ? [] : [own])];
}

function roleOf(subject: string): OperatorRole {
  const { role } = commandOf(subject);
  if (role === undefined) throw new Error(`${subject} is no command of operators`);
  return role;
}

function commandOf(subject: string) {
  const command = ALL_COMMANDS.find((each) => each.subject === subject);
  if (!command) throw new Error(`${subject} is no command`);
  return command;
}
