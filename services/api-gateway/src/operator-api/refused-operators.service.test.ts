import { afterAll, beforeAll, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway()));
afterAll(() => gateway.stop());

const PATH = "/operator/refused-operators";

/** A request of a person with every role. */
async function as(sub: string, method: string, path: string, body?: object) {
  const authorization = `Bearer ${await gateway.identity.token({ claims: { sub } })}`;
  return await gateway.operatorApi({
    method,
    path,
    role: null,
    headers: { authorization, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function audited(subject: string) {
  const { body } = await as("olga", "GET", `/operator/audit-log?service=api-gateway&subject=${subject}`);
  return (body["items"] as { actor: string; action: string; detail: object }[]).map(
    ({ actor, action, detail }) => ({ actor, action, detail }),
  );
}

test("whoever is refused may nothing from the next request on, on every gateway, until they are readmitted", async () => {
  const another = await gateway.startAnother();
  expect((await as("dismissed", "GET", "/operator/merchants")).status).toBe(200);
  const refused = await as("olga", "POST", PATH, { subject: "dismissed", reason: "left the company" });
  expect(refused).toMatchObject({
    status: 201,
    body: {
      subject: "dismissed",
      reason: "left the company",
      refusedBy: "olga",
      refusedAt: expect.any(String),
    },
  });
  for (const path of ["/operator/merchants", "/operator/refunds", "/operator/nowhere"])
    expectProblem(await as("dismissed", "GET", path), "operator_refused");
  const authorization = `Bearer ${await gateway.identity.token({ claims: { sub: "dismissed" } })}`;
  const elsewhere = await fetch(`http://127.0.0.1:${another.operator}/operator/merchants`, {
    headers: { authorization },
  });
  expect(elsewhere.status).toBe(403);
  expectProblem(await as("dismissed", "DELETE", `${PATH}/dismissed`), "operator_refused");

  const again = await as("bora", "POST", PATH, { subject: "dismissed", reason: "once more" });
  expect(again).toMatchObject({ status: 200, body: { reason: "left the company", refusedBy: "olga" } });
  expect((await as("bora", "DELETE", `${PATH}/dismissed`)).status).toBe(204);
  expect((await as("dismissed", "GET", "/operator/merchants")).status).toBe(200);
  expectProblem(await as("bora", "DELETE", `${PATH}/dismissed`), "refused_operator_not_found");
  const requestId = expect.any(String);
  expect(await audited("dismissed")).toEqual([
    { actor: "bora", action: "operator.readmitted", detail: { requestId, reason: "left the company" } },
    { actor: "olga", action: "operator.refused", detail: { requestId, reason: "left the company" } },
  ]);
});

test("nobody refuses or readmits themselves", async () => {
  expectProblem(await as("olga", "POST", PATH, { subject: "olga", reason: "holidays" }), "own_access");
  expectProblem(await as("olga", "DELETE", `${PATH}/olga`), "own_access");
  expect(await audited("olga")).toEqual([]);
});

test("the list goes page by page, and names of any script stand in it", async () => {
  const subjects = ["list-a", "list-b", "çağlar@example.test", "list/c d"].toSorted();
  for (const subject of subjects) await as("olga", "POST", PATH, { subject, reason: "list" });
  const seen: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await as("vera", "GET", `${PATH}?limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...(body["items"] as { subject: string }[]).map(({ subject }) => subject));
    if (body["nextCursor"] === undefined) break;
    cursor = body["nextCursor"] as string;
  }
  expect(seen.toSorted()).toEqual(subjects);
  for (const subject of subjects)
    expect((await as("olga", "DELETE", `${PATH}/${encodeURIComponent(subject)}`)).status).toBe(204);
  expectProblem(await as("olga", "DELETE", `${PATH}/%00`), "refused_operator_not_found");
});

test.each([
  { subject: "", reason: "x" },
  { subject: "x" },
  { subject: "x", reason: "" },
  { subject: "\u202Ex", reason: "x" },
])("%j is refused nobody by", async (body) => {
  expect((await as("olga", "POST", PATH, body)).body).toMatchObject({ code: "validation_failed" });
});
