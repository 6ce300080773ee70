import { openApiJson } from "@holdfast/contracts/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpAnswer, HttpRequest } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];

/** Every route of the merchants' and operators' documents, with ids that do not exist. */
const paths = (["merchant", "operator"] as const).flatMap((listener) =>
  Object.entries((JSON.parse(openApiJson(listener)) as Document).paths),
);
type Document = { paths: Record<string, Record<string, unknown>> };
const routes = paths.map(([template, operations]) => {
  const methods = Object.keys(operations).map((method) => method.toUpperCase());
  const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
  return { path: template.replaceAll(/\{\w+\}/g, "0199aaaa-0000-7000-8000-000000000001"), allowed };
});

let gateway: TestGateway;
let merchant: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  merchant = await gateway.createMerchant();
});
afterAll(() => gateway.stop());

function call(request: HttpRequest): Promise<HttpAnswer> {
  return request.path.startsWith("/api")
    ? gateway.merchantApi({ ...request, headers: merchant.headers })
    : gateway.operatorApi(request);
}

describe.each(routes)("$path", ({ path, allowed }) => {
  test.each(METHODS.filter((method) => !allowed.includes(method)))("has no %s", async (method) => {
    const answer = await call({ method, path });
    expect(answer.status).toBe(405);
    expect(answer.headers["allow"]?.split(", ").toSorted()).toEqual(allowed.toSorted());
    if (method === "HEAD") expect(answer.text).toBe("");
    else expectProblem(answer, "method_not_allowed");
  });

  test.each([`${path}/`, path.replace("/", "//"), path.toUpperCase(), path.replace(/\/(\w)/, "/%2e/$1")])(
    "is not also there as %s",
    async (other) => {
      expectProblem(await call({ path: other, method: allowed[0]! }), "route_not_found");
    },
  );
});

test.each(routes.filter(({ allowed }) => allowed.includes("GET")))(
  "$path answers HEAD as GET, without the body",
  async ({ path }) => {
    const [get, head] = [await call({ path }), await call({ method: "HEAD", path })];
    const { "x-request-id": _id, date: _date, ...headers } = head.headers;
    expect(head).toMatchObject({ status: get.status, text: "" });
    expect(get.headers).toMatchObject(headers);
  },
);
