import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";
import { startTestRefunds } from "../../test/test-refunds.ts";

const REFUND_ID = "0199aaaa-0000-7000-8000-000000000002";

async function setUp(settings: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(settings);
  onTestFinished(() => gateway.stop());
  return gateway;
}

type Person = { sub: string; roles: string[] };
const VERA: Person = { sub: "vera", roles: ["viewer"] };
const OLGA: Person = { sub: "olga", roles: ["viewer", "approver", "admin"] };

async function callAs(
  { identity, operatorApi }: TestGateway,
  claims: Person,
  [method, path, body]: [string, string, string?],
): Promise<HttpAnswer> {
  const authorization = `Bearer ${await identity.token({ claims })}`;
  return await operatorApi({ method, path, role: null, headers: { authorization }, ...(body && { body }) });
}

const APPROVE: [string, string] = ["POST", `/operator/refunds/${REFUND_ID}/approve`];
const READ: [string, string] = ["GET", "/operator/merchants"];

async function log(gateway: TestGateway): Promise<Record<string, unknown>[]> {
  const answer = await gateway.operatorApi({ path: "/operator/audit-log?service=api-gateway" });
  expect(answer.status).toBe(200);
  return answer.body["items"] as Record<string, unknown>[];
}

describe("what a role does not allow", () => {
  test("is a line of the audit log, with route, role and id, and nothing of the body", async () => {
    const gateway = await setUp();
    const answer = await callAs(gateway, VERA, [
      "POST",
      `/operator/refunds/${REFUND_ID.toUpperCase()}/reject`,
      '{"reason": "4111111111111111"}',
    ]);
    expectProblem(answer, "forbidden");
    expectProblem(
      await callAs(gateway, { sub: "nina", roles: [] }, ["GET", "/operator/merchants/4111111111111111"]),
      "forbidden",
    );
    const detail = (method: string, route: string, needed: string) => ({
      requestId: expect.any(String),
      code: "forbidden",
      method,
      route,
      needed,
    });
    expect(await log(gateway)).toMatchObject([
      {
        actor: "nina",
        action: "access.refused",
        subject: "/operator/merchants/{merchantId}",
        detail: detail("GET", "/operator/merchants/{merchantId}", "viewer"),
      },
      {
        actor: "vera",
        action: "access.refused",
        subject: REFUND_ID,
        detail: {
          ...detail("POST", "/operator/refunds/{refundId}/reject", "approver"),
          requestId: answer.headers["x-request-id"],
        },
      },
    ]);
    expect(JSON.stringify(await log(gateway))).not.toContain("41111111");
  });

  test("is refused while no line can be written, and the request's own line says why there is none", async () => {
    const gateway = await setUp();
    await withClient(gateway.database.superuserUrl, (client) =>
      client.query("alter table gateway.audit_entry rename to audit_entry_away"),
    );
    gateway.lines.length = 0;
    expectProblem(await callAs(gateway, VERA, APPROVE), "forbidden");
    await eventually(() =>
      expect(gateway.requestLines()).toMatchObject([
        { actor: "vera", code: "forbidden", error: expect.anything() },
      ]),
    );
  });
});

describe("a person's refused attempts have a bound", () => {
  const ONE = { REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: "1" };

  test("above it they are 429 and no line; the person still reads, and others still work", async () => {
    const gateway = await setUp(ONE);
    expectProblem(await callAs(gateway, VERA, APPROVE), "forbidden");
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await callAs(gateway, VERA, APPROVE);
      expectProblem(answer, "rate_limited");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    }
    expect(await log(gateway)).toHaveLength(1);
    expect((await callAs(gateway, VERA, READ)).status).toBe(200);
    const other = await callAs(gateway, OLGA, ["POST", "/operator/merchants", '{"name": "A shop"}']);
    expect(other.status).toBe(201);
  });

  test.each(["same_person", "already_approved_by_you", "approver_limit_reached", "refund_differs"] as const)(
    "also those that a service refuses, which hears of no more: %s",
    async (code) => {
      const gateway = await setUp(ONE);
      const refunds = await startTestRefunds(gateway.nats.url);
      onTestFinished(() => refunds.stop());
      let asked = 0;
      refunds.answers.approve = async () => {
        asked++;
        return { outcome: "problem", code };
      };
      expectProblem(await callAs(gateway, OLGA, APPROVE), code);
      expectProblem(await callAs(gateway, OLGA, APPROVE), "rate_limited");
      expect(asked).toBe(1);
      expect((await callAs(gateway, OLGA, READ)).status).toBe(200);
    },
  );

  test("and what is refused for another reason does not count", async () => {
    const gateway = await setUp(ONE);
    const refunds = await startTestRefunds(gateway.nats.url);
    onTestFinished(() => refunds.stop());
    for (let attempt = 0; attempt < 3; attempt++) {
      expectProblem(await callAs(gateway, OLGA, APPROVE), "refund_not_found");
    }
  });
});
