import { ENDPOINTS, type Endpoint } from "@holdfast/contracts";
import { REQUEST_EXAMPLES } from "@holdfast/contracts/openapi-examples";
import { z } from "zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

let gateway: TestGateway;
let merchant: TestMerchant;
beforeAll(async () => {
  gateway = await startTestGateway();
  merchant = await gateway.createMerchant();
});
afterAll(() => gateway.stop());

const onOneRecord = ENDPOINTS.filter(({ pathParameters }) => pathParameters);
const named = onOneRecord.map((endpoint: Endpoint) => ({ name: endpoint.operationId, endpoint }));

/** Operations whose path has an id that is not a UUID. */
const BY_OTHER_NAMES: ReadonlySet<string> = new Set(["getBin", "readmitOperator", "revokeCredentialAsStaff"]);

const onOneUuid = named.filter(({ name }) => !BY_OTHER_NAMES.has(name));

/** No service answers here, so a request that the gateway itself does not refuse is a 503. */
test.each(onOneUuid)(
  "$name answers a path without a UUID as it answers one that names nothing",
  async (on) => {
    const example = REQUEST_EXAMPLES[on.name];
    const answer = await call(on.endpoint, example && JSON.stringify(example));
    expectProblem(answer, on.endpoint.notFound!);
  },
);

test.each(onOneUuid.filter(({ endpoint }) => endpoint.request))(
  "$name answers for a body at fault first, whatever the path names",
  async ({ endpoint }) => {
    // A list where an object is wanted, and the reverse.
    const answer = await call(endpoint, endpoint.request instanceof z.ZodArray ? "{}" : "[]");
    expect(answer.body).toMatchObject({ code: "validation_failed" });
  },
);

function call({ method, path, listener }: Endpoint, body: string | undefined) {
  const request = {
    method,
    path: path.replaceAll(/\{\w+\}/g, "no-uuid"),
    ...(body !== undefined && { body }),
  };
  if (listener === "staff") return gateway.staffApi({ ...request, merchantId: merchant.merchantId });
  return listener === "operator"
    ? gateway.operatorApi(request)
    : gateway.merchantApi({ ...request, headers: { ...merchant.headers, ...(body && JSON_TYPE) } });
}
