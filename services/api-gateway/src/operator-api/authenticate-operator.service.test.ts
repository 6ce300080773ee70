import { ENDPOINTS, OPERATOR_ROLES, type Endpoint } from "@holdfast/contracts";
import { AUDIENCE, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HttpRequest } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway()));
beforeEach(() => void (gateway.lines.length = 0));
afterAll(() => gateway.stop());

/** Written by hand from what each person's work is: who may do what. */
const ANYBODY = OPERATOR_ROLES.join(" ");
const MAY: Record<string, string> = {
  createMerchant: "onboarder admin",
  listMerchants: ANYBODY,
  getMerchant: ANYBODY,
  changeMerchant: "onboarder admin",
  addCredential: "onboarder admin",
  revokeCredential: "onboarder admin",
  listPaymentsOfMerchants: ANYBODY,
  search: ANYBODY,
  getFigures: ANYBODY,
  getOperatorPayment: ANYBODY,
  inquirePayment: "operations admin",
  reversePayment: "operations admin",
  resolvePayment: "operations admin",
  listRefunds: ANYBODY,
  getOperatorRefund: ANYBODY,
  approveRefund: "approver",
  rejectRefund: "approver",
  inquireRefund: "operations admin",
  resolveRefund: "operations admin",
  requestRefundForMerchant: "operations admin",
  listFailingWebhooks: ANYBODY,
  listMerchantWebhooks: ANYBODY,
  getMerchantWebhookHealth: ANYBODY,
  setWebhookManagement: "onboarder admin",
  createMerchantWebhook: "onboarder admin",
  changeMerchantWebhook: "onboarder admin",
  removeMerchantWebhook: "onboarder admin",
  rotateWebhookEndpointSecret: "onboarder admin",
  activateWebhookEndpointSecret: "onboarder admin",
  testWebhookEndpoint: "onboarder admin",
  putMerchantWebhook: "onboarder admin",
  deleteMerchantWebhook: "onboarder admin",
  rotateMerchantWebhookSecret: "onboarder admin",
  activateMerchantWebhookSecret: "onboarder admin",
  testMerchantWebhook: "onboarder admin",
  listWebhookDeliveries: ANYBODY,
  getWebhookDelivery: ANYBODY,
  getWebhookBody: "operations admin",
  redeliverWebhook: "operations admin",
  redeliverFailedWebhooks: "operations admin",
  createAcquirerAccount: "admin",
  listAcquirerAccounts: ANYBODY,
  listAcquirerProtocols: ANYBODY,
  getAcquirerAccount: ANYBODY,
  changeAcquirerAccount: "admin",
  confirmAcquirerAccount: "admin",
  probeAcquirerAccount: "operations admin",
  getMerchantRoutes: ANYBODY,
  getInstallmentPrices: ANYBODY,
  putInstallmentPrices: "admin",
  putMerchantRoutes: "admin",
  confirmMerchantRoutes: "admin",
  getLogLevels: ANYBODY,
  putLogLevel: "admin",
  refuseOperator: "admin",
  listRefusedOperators: ANYBODY,
  readmitOperator: "admin",
  openChargeback: "operations admin",
  listChargebacks: ANYBODY,
  getChargeback: ANYBODY,
  changeChargeback: "operations admin",
  decideChargeback: "operations admin",
  addChargebackEvidence: "operations admin",
  getChargebackEvidence: "operations admin",
  listSettlements: ANYBODY,
  uploadSettlement: "operations admin",
  previewSettlement: "operations admin",
  confirmSettlement: "operations admin",
  refuseSettlement: "operations admin",
  listStatementsOfMerchants: ANYBODY,
  getSettlement: ANYBODY,
  getPaymentSettlement: ANYBODY,
  listDifferences: ANYBODY,
  getDifference: ANYBODY,
  noteDifference: "operations admin",
  closeDifference: "operations admin",
  listProposals: ANYBODY,
  getAuditLog: ANYBODY,
};

/** Reading that has more of a card or of a buyer than others need. */
const FOR_OPERATIONS: ReadonlySet<string> = new Set(["getChargebackEvidence", "getWebhookBody"]);

/** A request to an endpoint, about a record that does not exist. */
function requestTo({ method, path }: Endpoint): HttpRequest {
  const filled = path.replaceAll(/\{\w+\}/g, NOWHERE);
  return { method, path: filled, ...(method !== "GET" && { body: "{}" }) };
}

describe("who may do what", () => {
  const endpoints = ENDPOINTS.filter(({ listener }) => listener === "operator");
  const matrix = endpoints.flatMap((endpoint) =>
    ["none", ...OPERATOR_ROLES].map((role) => ({
      role,
      name: endpoint.operationId,
      request: requestTo(endpoint),
      allowed: MAY[endpoint.operationId]?.split(" ").includes(role),
    })),
  );

  test("the table has a line for each endpoint, and each line is one", () => {
    expect(Object.keys(MAY).toSorted()).toEqual(endpoints.map(({ operationId }) => operationId).toSorted());
  });

  /** No service takes commands here, so what is allowed goes as far as a 503. */
  test.each(matrix)("$role may $name: $allowed", async ({ role, request, allowed }) => {
    const answer = await gateway.operatorApi({ ...request, role });
    if (allowed) expect([200, 202, 400, 404, 415, 503]).toContain(answer.status);
    else expectProblem(answer, "forbidden");
  });

  test("and each of them is one the gateway has, which any role may read, but for evidence and bodies, and no viewer may change", async () => {
    for (const endpoint of endpoints) {
      const { method, path } = requestTo(endpoint);
      const answer = await gateway.operatorApi({ method: method!, path, role: "none" });
      expect.soft(answer.status, endpoint.operationId).toBe(403);
      const isForAll = endpoint.method === "GET" && !FOR_OPERATIONS.has(endpoint.operationId);
      expect.soft(endpoint.role === "viewer", endpoint.operationId).toBe(isForAll);
    }
  });

  test("without a valid token nobody may anything, nor learn what there is", async () => {
    const foreign = await gateway.identity.token({ claims: { aud: "another-api" } });
    const valid = await gateway.identity.token({ claims: { aud: AUDIENCE } });
    for (const request of [...endpoints.map(requestTo), { path: "/operator/nowhere" }]) {
      const attempts: HttpRequest["headers"][] = [
        {},
        { authorization: `Bearer ${foreign}` },
        { authorization: valid },
        { authorization: `Basic ${valid}` },
        { authorization: [`Bearer ${valid}`, `Bearer ${valid}`] },
        { "x-api-key": "hk_x", "x-api-secret": "hs_x" },
      ];
      for (const headers of attempts) {
        const answer = await gateway.operatorApi({ ...request, role: null, headers: { ...headers } });
        expectProblem(answer, "unauthorized");
        // RFC 6750, 3: a request without a token gets no error code.
        const hasToken = headers?.["authorization"] === `Bearer ${foreign}`;
        expect(answer.headers["www-authenticate"]).toBe(hasToken ? 'Bearer error="invalid_token"' : "Bearer");
      }
    }
  });

  test("who signed in too long ago is asked to sign in again, with within how many seconds", async () => {
    const token = await gateway.identity.token({
      claims: { auth_time: Math.floor(Date.now() / 1_000) - 960 },
    });
    for (const endpoint of endpoints) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await gateway.operatorApi({ ...requestTo(endpoint), role: null, headers });
      const asked = answer.body["code"] === "insufficient_user_authentication";
      expect(asked, endpoint.operationId).toBe(endpoint.recentSignIn === true);
      if (!asked) continue;
      expect([answer.status, answer.body["maxAge"]]).toEqual([401, 900]);
      expect(answer.headers["www-authenticate"]).toBe(
        'Bearer error="insufficient_user_authentication", max_age="900"',
      );
    }
  });

  test("who asks for what the roles do not allow stands in the audit log", async () => {
    const path = `/operator/refunds/${NOWHERE}/approve`;
    const answer = await gateway.operatorApi({ method: "POST", path, role: "onboarder" });
    expectProblem(answer, "forbidden");
    const { body } = await gateway.operatorApi({ path: "/operator/audit-log?service=api-gateway&limit=1" });
    expect(body["items"]).toMatchObject([
      {
        actor: "olga",
        action: "access.refused",
        subject: NOWHERE,
        detail: { needed: "approver", requestId: answer.headers["x-request-id"] },
      },
    ]);
  });

  test("the log has who did it, to whom", async () => {
    const { merchantId } = await gateway.createMerchant();
    await eventually(() =>
      expect(gateway.requestLines()).toMatchObject([
        {
          listener: "operator",
          actor: "olga",
          merchantId,
          route: "/operator/merchants",
          method: "POST",
          statusCode: 201,
        },
      ]),
    );
  });
});

test("the operator listener has nothing else", async () => {
  for (const path of ["/api/pre-authorization", "/api/payment/x", "/", "/livez"]) {
    expectProblem(await gateway.operatorApi({ path }), "route_not_found");
  }
  const answer = await gateway.operatorApi({ method: "PUT", path: "/operator/merchants" });
  expectProblem(answer, "method_not_allowed");
  expect(answer.headers["allow"]).toBe("POST, GET, HEAD");
});
