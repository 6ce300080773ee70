import { eventually } from "@holdfast/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HttpRequest } from "../../test/http-client.ts";
import { AUDIENCE } from "../../test/operator-identity.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway()));
beforeEach(() => void (gateway.lines.length = 0));
afterAll(() => gateway.stop());

describe("who may do what", () => {
  const calls: [name: string, needs: string, request: HttpRequest][] = [
    ["create", "admin", { method: "POST", path: "/operator/merchants", body: "{}" }],
    ["list", "viewer", { path: "/operator/merchants" }],
    ["read", "viewer", { path: `/operator/merchants/${NOWHERE}` }],
    ["add a credential", "admin", { method: "POST", path: `/operator/merchants/${NOWHERE}/credentials` }],
    ["revoke one", "admin", { method: "DELETE", path: `/operator/merchants/${NOWHERE}/credentials/hk_x` }],
  ];
  const ranks = ["none", "viewer", "approver", "admin"];
  const matrix = calls.flatMap(([name, needs, request]) =>
    ranks.map((role) => ({ name, role, request, allowed: ranks.indexOf(role) >= ranks.indexOf(needs) })),
  );

  test.each(matrix)("$role may $name: $allowed", async ({ role, request, allowed }) => {
    const answer = await gateway.operatorApi({ ...request, role });
    if (allowed) expect([200, 400, 404]).toContain(answer.status);
    else expectProblem(answer, "forbidden");
  });

  test("without a valid token nobody may anything, nor learn what there is", async () => {
    const foreign = await gateway.identity.token({ claims: { aud: "another-api" } });
    const valid = await gateway.identity.token({ claims: { aud: AUDIENCE } });
    for (const [, , request] of [...calls, ["", "", { path: "/operator/nowhere" }] as const]) {
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
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
      }
    }
  });

  test("the log has who did it, to whom", async () => {
    const { merchantId } = await gateway.createMerchant();
    await eventually(() =>
      expect(gateway.lines).toMatchObject([
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
