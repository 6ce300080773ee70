import { afterAll, beforeAll, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway()));
afterAll(() => gateway.stop());

test("while a service is away its part is not left out silently", async () => {
  const answer = await gateway.operatorApi({ path: "/operator/proposals", role: "viewer" });
  expectProblem(answer, "service_unavailable");
});

test.each([
  ["livemode=1", "livemode"],
  ["limit=0", "limit"],
  ["cursor=x", "cursor"],
])("%s is refused", async (query, field) => {
  const answer = await gateway.operatorApi({ path: `/operator/proposals?${query}` });
  const errors = answer.body["errors"] as { field: string }[];
  expectProblem(answer, "validation_failed", { errors });
  expect(errors.map((fault) => fault.field)).toEqual([field]);
});
