import { expect, test } from "vitest";
import { ENDPOINTS } from "./http/endpoints.ts";
import { ALL_COMMANDS } from "./messages/all-commands.ts";
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

/**
 * The commands that an endpoint leads to; without one the gateway answers it from its own database. Those of keys are sent
 * for merchants' staff alone.
 */
const LEADS_TO: Record<string, string[]> = {
  createMerchant: [],
  listMerchants: [],
  getMerchant: [],
  changeMerchant: [],
  addCredential: ["gateway.make-credential"],
  revokeCredential: ["gateway.end-credential"],
  listPaymentsOfMerchants: ["payments.list-for-operator"],
  search: [
    "payments.list-for-operator",
    "payments.describe",
    "refunds.list-for-operator",
    "refunds.describe",
  ],
  getOperatorPayment: [
    "payments.describe",
    "payments.audit-log",
    "refunds.list-for-operator",
    "webhooks.list-deliveries",
  ],
  inquirePayment: ["payments.inquire"],
  reversePayment: ["payments.reverse"],
  resolvePayment: ["payments.resolve"],
  listRefunds: ["refunds.list-for-operator"],
  getOperatorRefund: ["refunds.describe"],
  approveRefund: ["payments.agree-to-refund", "refunds.approve"],
  rejectRefund: ["refunds.reject"],
  inquireRefund: ["refunds.inquire"],
  resolveRefund: ["refunds.resolve"],
  requestRefundForMerchant: ["payments.describe", "refunds.request-for-merchant"],
  listFailingWebhooks: ["webhooks.list-failing-endpoints"],
  listMerchantWebhooks: ["webhooks.list-endpoints"],
  createMerchantWebhook: ["webhooks.create-endpoint"],
  changeMerchantWebhook: ["webhooks.change-endpoint"],
  removeMerchantWebhook: ["webhooks.remove-endpoint"],
  rotateWebhookEndpointSecret: ["webhooks.rotate-secret"],
  activateWebhookEndpointSecret: ["webhooks.activate-secret"],
  testWebhookEndpoint: ["webhooks.test-endpoint"],
  putMerchantWebhook: ["webhooks.put-endpoint"],
  deleteMerchantWebhook: ["webhooks.remove-endpoint"],
  rotateMerchantWebhookSecret: ["webhooks.rotate-secret"],
  activateMerchantWebhookSecret: ["webhooks.activate-secret"],
  testMerchantWebhook: ["webhooks.test-endpoint"],
  listWebhookDeliveries: ["webhooks.list-deliveries"],
  getWebhookDelivery: ["webhooks.get-delivery"],
  redeliverWebhook: ["webhooks.redeliver"],
  redeliverFailedWebhooks: ["webhooks.redeliver-failed"],
  // Its key is asked for first.
  createAcquirerAccount: ["payments.read-accounts", "payments.make-account"],
  listAcquirerAccounts: ["payments.read-accounts"],
  getAcquirerAccount: ["payments.read-accounts"],
  changeAcquirerAccount: ["payments.read-accounts", "payments.alter-account"],
  confirmAcquirerAccount: ["payments.confirm-account"],
  probeAcquirerAccount: ["payments.probe-account"],
  getMerchantRoutes: ["payments.read-routes"],
  putMerchantRoutes: ["payments.replace-routes"],
  confirmMerchantRoutes: ["payments.confirm-routes"],
  refuseOperator: [],
  listRefusedOperators: [],
  readmitOperator: [],
  getLogLevels: [],
  putLogLevel: [],
  openChargeback: ["payments.open-chargeback"],
  listChargebacks: ["payments.list-chargebacks"],
  getChargeback: ["payments.describe-chargeback"],
  changeChargeback: ["payments.change-chargeback"],
  decideChargeback: ["payments.decide-chargeback"],
  addChargebackEvidence: ["payments.begin-evidence", "payments.add-evidence-part"],
  getChargebackEvidence: ["payments.read-evidence-part"],
  listSettlements: ["settlement.list-imports"],
  previewSettlement: ["settlement.begin-upload", "settlement.add-upload-part", "settlement.preview-upload"],
  uploadSettlement: ["settlement.begin-upload", "settlement.add-upload-part", "settlement.end-upload"],
  getSettlement: ["settlement.describe-import"],
  confirmSettlement: ["settlement.confirm-import"],
  listStatementsOfMerchants: ["settlement.list-statements"],
  getPaymentSettlement: ["settlement.payment-settlement"],
  listDifferences: ["settlement.list-differences"],
  getDifference: ["settlement.describe-difference"],
  noteDifference: ["settlement.note-difference"],
  closeDifference: ["settlement.close-difference"],
  getAuditLog: ["payments.audit-log", "refunds.audit-log", "webhooks.audit-log", "settlement.audit-log"],
};

test("an endpoint asks for the role that its commands ask for, and for no less", () => {
  const endpoints = ENDPOINTS.filter(({ listener }) => listener === "operator");
  expect(Object.keys(LEADS_TO).toSorted()).toEqual(
    endpoints.map(({ operationId }) => operationId).toSorted(),
  );
  for (const { operationId, role } of endpoints) {
    const roles = LEADS_TO[operationId]!.map((subject) => roleOf(subject));
    const own = [...new Set(roles.filter((each) => each !== "viewer"))];
    if (roles.length > 0) expect(own.length > 0 ? own : roles.slice(0, 1), operationId).toEqual([role]);
  }
});

test("an endpoint takes a recent sign-in where one of its commands does", () => {
  for (const { operationId, recentSignIn, listener } of ENDPOINTS) {
    if (listener !== "operator") continue;
    const asked = LEADS_TO[operationId]!.map((subject) => commandOf(subject).recentSignIn);
    expect(asked.includes(true), operationId).toBe(recentSignIn === true);
  }
});

test("every command of operators belongs to an endpoint", () => {
  const asked = ALL_COMMANDS.filter(({ role }) => role !== undefined).map(({ subject }) => subject);
  expect(asked.toSorted()).toEqual([...new Set(Object.values(LEADS_TO).flat())].toSorted());
});

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
