import { operations, type Endpoint, type ProblemCode } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { asStaffApi } from "./as-staff-api.ts";
import { OperatorApiProblemError, type Call, type OperatorApi } from "./operator-api.ts";

const OWN = "0199aaaa-0000-7000-8000-000000000001";
const OTHER = "0199aaaa-0000-7000-8000-000000000002";

/** Records the calls to the staff listener; each answer is the next of these problems, if any. */
function standIn(...problems: ProblemCode[]) {
  const asked: { endpoint: Endpoint; call: Call }[] = [];
  const next = (endpoint: Endpoint, call: Call) => {
    asked.push({ endpoint, call });
    const code = problems.shift();
    return code && { code, status: 404, title: code, type: code, requestId: "r", instance: "i" };
  };
  const api = {
    read: async (endpoint: Endpoint, call: Call) => {
      const problem = next(endpoint, call);
      if (problem) throw new OperatorApiProblemError(problem);
      return {};
    },
    change: async (endpoint: Endpoint, call: Call) => {
      const problem = next(endpoint, call);
      return problem ? { done: false, problem } : { done: true, body: {} };
    },
  } as unknown as OperatorApi;
  return { api: asStaffApi(api, OWN), asked };
}

const codeOf = async (reading: Promise<unknown>) =>
  await reading.then(
    () => "done",
    (error: unknown) => (error instanceof OperatorApiProblemError ? error.problem.code : error),
  );

test("what names another merchant, in a path, a query or a body, is not found and asks nobody", async () => {
  const { api, asked } = standIn();
  const since = "2026-01-01T00:00:00Z";
  expect(await codeOf(api.read(operations.getMerchant, { path: { merchantId: OTHER } }))).toBe(
    "merchant_not_found",
  );
  expect(await codeOf(api.read(operations.listWebhookDeliveries, { query: { merchantId: OTHER } }))).toBe(
    "merchant_not_found",
  );
  expect(
    await api.change(operations.redeliverFailedWebhooks, { body: { merchantId: OTHER, since }, key: "k" }),
  ).toMatchObject({ done: false, problem: { code: "merchant_not_found" } });
  expect(asked).toEqual([]);
});

test("the own merchant goes on without its name, and the mode of a body in the query", async () => {
  const { api, asked } = standIn();
  const body = { merchantId: OWN, livemode: false, since: "2026-01-01T00:00:00Z" };
  await api.read(operations.listWebhookDeliveries, { query: { merchantId: OWN, status: "failed" } });
  await api.change(operations.redeliverFailedWebhooks, { body, key: "k" });
  expect(asked.map(({ endpoint, call }) => [endpoint.path, call])).toEqual([
    ["/staff/webhook-deliveries", { query: { status: "failed" } }],
    [
      "/staff/webhook-deliveries/redeliver",
      { body: { since: "2026-01-01T00:00:00Z" }, query: { livemode: "false" }, key: "k" },
    ],
  ]);
});

test("one thing is looked for in live mode and then in test mode", async () => {
  const { api, asked } = standIn("payment_link_not_found");
  await api.read(operations.getPaymentLink, { path: { paymentLinkId: "l" } });
  expect(asked.map(({ call }) => call.query)).toEqual([{}, { livemode: "false" }]);
});

test("what staff have not is not found, and what they may not is forbidden", async () => {
  const { api, asked } = standIn();
  expect(await codeOf(api.read(operations.listMerchants))).toBe("route_not_found");
  const file = { name: "f", content: (async function* () {})(), end: async () => {}, discard() {} };
  expect(await api.upload(operations.uploadSettlement, { query: {}, part: "file", file })).toMatchObject({
    problem: { code: "forbidden" },
  });
  expect(asked).toEqual([]);
});
