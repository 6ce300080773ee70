import { afterAll, beforeAll, expect, test } from "vitest";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

let gateway: TestGateway;
let merchant: TestMerchant;
let other: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  merchant = await gateway.createMerchant();
  other = await gateway.createMerchant();
  const body = JSON.stringify({ status: "SUSPENDED" });
  const authorization = `Bearer ${await gateway.identity.token({ claims: { sub: "bora" } })}`;
  await gateway.operatorApi({
    method: "PATCH",
    path: `/operator/merchants/${merchant.merchantId}`,
    body,
    role: null,
    headers: { authorization },
  });
});
afterAll(() => gateway.stop());

function log(query: string): Promise<HttpAnswer> {
  return gateway.operatorApi({ path: `/operator/audit-log?service=api-gateway&${query}`, role: "viewer" });
}

function linesOf({ body }: HttpAnswer): string[] {
  const items = body["items"] as { actor: string; action: string; subject: string }[];
  return items.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`);
}

test("the log says who did what to whom, newest first", async () => {
  const answer = await log("");
  expect(answer.status).toBe(200);
  expect(linesOf(answer)).toEqual([
    `bora merchant.suspended ${merchant.merchantId}`,
    `olga merchant.created ${other.merchantId}`,
    `olga merchant.created ${merchant.merchantId}`,
  ]);
});

test("it can be narrowed to a person, an action, a subject, a time, and several of them", async () => {
  const [newest, , oldest] = (await log("")).body["items"] as { at: string }[];
  const { merchantId } = merchant;
  const suspended = `bora merchant.suspended ${merchantId}`;
  const created = `olga merchant.created ${merchantId}`;
  expect(linesOf(await log("actor=bora"))).toEqual([suspended]);
  expect(linesOf(await log("action=merchant.suspended"))).toEqual([suspended]);
  expect(linesOf(await log(`subject=${merchantId}`))).toEqual([suspended, created]);
  expect(linesOf(await log(`subject=${merchantId}&actor=olga`))).toEqual([created]);
  expect(linesOf(await log(`from=${newest!.at}&subject=${merchantId}`))).toEqual([suspended]);
  expect(linesOf(await log(`to=${newest!.at}&subject=${merchantId}`))).toEqual([created]);
  expect(linesOf(await log(`to=${oldest!.at}`))).toEqual([]);
});

test("an export is a line, with whose rows and days, and of any other filter only its name", async () => {
  const path = "/operator/audit-log?service=api-gateway&actor=bora&from=2026-01-01T00:00:00Z";
  const taken = await gateway.operatorApi({ path, role: "viewer", headers: { accept: "text/csv" } });
  expect(taken.status).toBe(200);
  expect((await gateway.operatorApi({ path, role: "viewer" })).status).toBe(200);
  const answer = await log("action=rows.exported");
  expect(answer.body["items"]).toEqual([
    expect.objectContaining({
      actor: "olga",
      subject: "/operator/audit-log",
      detail: {
        requestId: expect.any(String) as string,
        filters: ["actor", "from", "service"],
        from: "2026-01-01T00:00:00Z",
      },
    }),
  ]);
});

test("pages go on within what it was narrowed to", async () => {
  const first = await log("action=merchant.created&limit=1");
  expect(linesOf(first)).toEqual([`olga merchant.created ${other.merchantId}`]);
  const second = await log(`action=merchant.created&limit=1&cursor=${String(first.body["nextCursor"])}`);
  expect(linesOf(second)).toEqual([`olga merchant.created ${merchant.merchantId}`]);
  expect(second.body).not.toHaveProperty("nextCursor");
});

test("while a service is away its part is not left out silently", async () => {
  const answer = await gateway.operatorApi({ path: "/operator/audit-log" });
  expectProblem(answer, "service_unavailable");
});

test.each([
  ["service=somebody", "service"],
  ["actor=", "actor"],
  ["from=yesterday", "from"],
  ["to=1", "to"],
  ["cursor=x", "cursor"],
])("%s is refused", async (query, field) => {
  const answer = await gateway.operatorApi({ path: `/operator/audit-log?${query}` });
  const errors = answer.body["errors"] as { field: string }[];
  expectProblem(answer, "validation_failed", { errors });
  expect(errors.map((fault) => fault.field)).toEqual([field]);
});
