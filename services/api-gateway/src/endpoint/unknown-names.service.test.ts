import { ENDPOINTS, type Endpoint, type FieldFault } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpAnswer } from "../../test/http-client.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";
const RULES = { largestAmounts: [{ currency: "TRY", amount: "100.00" }] };

let gateway: TestGateway;
let merchant: TestMerchant;
beforeAll(async () => {
  gateway = await startTestGateway();
  merchant = await gateway.createMerchant({ rules: RULES });
});
afterAll(() => gateway.stop());

function call(
  { listener, method, path }: Endpoint,
  { query = "", body }: { query?: string; body?: string } = {},
): Promise<HttpAnswer> {
  const request = {
    method,
    path: path.replaceAll(/\{\w+\}/g, NOWHERE) + query,
    // Node sends the body of a DELETE without its length.
    ...(body !== undefined && { body, headers: { "content-length": String(Buffer.byteLength(body)) } }),
  };
  if (listener === "staff") return gateway.staffApi({ ...request, merchantId: merchant.merchantId });
  if (listener === "operator") return gateway.operatorApi(request);
  return gateway.merchantApi({ ...request, headers: { ...merchant.headers, ...JSON_TYPE } });
}

function faultsOf({ status, body }: HttpAnswer): FieldFault[] {
  expect([status, body["code"]]).toEqual([400, "validation_failed"]);
  return body["errors"] as FieldFault[];
}

describe("a query parameter that nobody knows", () => {
  test.each(ENDPOINTS)("is refused by $method $path", async (endpoint) => {
    for (const query of ["?blockedBins=1", "?%5F_proto__=1", "?=1"]) {
      const faults = faultsOf(await call(endpoint, { query }));
      expect(faults.map(({ code }) => code)).toContain("unknown_parameter");
    }
  });

  test("is told with the one that was probably meant: without it the list would be everybody's", async () => {
    const list = ENDPOINTS.find(({ operationId }) => operationId === "listRefunds")!;
    expect(faultsOf(await call(list, { query: `?merchantID=${NOWHERE}` }))).toEqual([
      {
        field: "merchantID",
        code: "unknown_parameter",
        message: "is not known here; did you mean merchantId?",
      },
    ]);
  });

  test("behind a thousand known ones is not read, and the request is refused all the same", async () => {
    const list = ENDPOINTS.find(({ operationId }) => operationId === "listMerchants")!;
    const query = `?${"limit=1&".repeat(1_000)}blockedBins=1`;
    expect(faultsOf(await call(list, { query }))).toMatchObject([{ field: "limit", code: "invalid_type" }]);
  });
});

describe("a person's change that has no fields", () => {
  const changes = ENDPOINTS.filter(
    ({ listener, method, request, file }: Endpoint) =>
      listener !== "merchant" && method !== "GET" && request === undefined && file === undefined,
  );

  test.each(changes)("$method $path refuses a body with one", async (endpoint) => {
    expect(faultsOf(await call(endpoint, { body: '{"amount": 5}' }))).toEqual([
      { field: "amount", code: "unknown_field", message: "is not known here; none is" },
    ]);
    expect(faultsOf(await call(endpoint, { body: "0" }))).toMatchObject([{ field: "body" }]);
  });

  test.each(changes)("$method $path takes none, and an empty object", async (endpoint) => {
    const answers = [await call(endpoint), await call(endpoint, { body: "{}" })];
    for (const { status } of answers) expect([404, 503]).toContain(status);
  });
});

describe("what is refused changes nothing", () => {
  test.each([
    ['{"rules": 0}', "rules invalid_type"],
    ['{"rules": 1e3}', "rules invalid_type"],
    ['{"rules": {"largestAmounts": [0]}}', "rules.largestAmounts.0 invalid_type"],
    ['{"rules": {"attemptsPerCard": 0}}', "rules.attemptsPerCard invalid_type"],
    ['{"commission": 0}', "commission invalid_type"],
    ['{"rules": {"blockedBins": ["411111"]}}', "rules.blockedBins unknown_field"],
    ['{"rules": {"largestAmount": []}}', "rules.largestAmount unknown_field"],
    [
      '{"rules": {"largestAmounts": [{"currency": "TRY", "amount": "1", "perDay": true}]}}',
      "rules.largestAmounts.0.perDay unknown_field",
    ],
    ['{"name": "Another shop", "suspended": true}', "suspended unknown_field"],
  ])("%s", async (body, fault) => {
    const path = `/operator/merchants/${merchant.merchantId}`;
    const log = `/operator/audit-log?service=api-gateway&subject=${merchant.merchantId}`;
    const state = async () => [
      (await gateway.operatorApi({ path })).body,
      (await gateway.operatorApi({ path: log })).body,
    ];
    const before = await state();
    expect(before[0]).toMatchObject({ name: "A shop", status: "ACTIVE", rules: RULES });
    const answer = await gateway.operatorApi({ method: "PATCH", path, body });
    expect(faultsOf(answer).map(({ field, code }) => `${field} ${code}`)).toEqual([fault]);
    expect(await state()).toEqual(before);
  });

  test("null alone removes the rules", async () => {
    const { merchantId } = await gateway.createMerchant({ rules: RULES });
    const path = `/operator/merchants/${merchantId}`;
    const { body } = await gateway.operatorApi({ method: "PATCH", path, body: '{"rules": null}' });
    expect(body).not.toHaveProperty("rules");
  });
});
