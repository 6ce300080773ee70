import { createHash, randomUUID } from "node:crypto";
import type { OperatorRole } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
let port: number;
beforeAll(async () => {
  system = await startSettlementHarness({
    services: ["payments", "refunds", "settlement", "gateway-operator"],
    running: ["payments", "refunds", "settlement"],
    envOf: { settlement: { MATCH_INTERVAL: "50ms", FILE_CHANGES_TWO_PEOPLE: "true", UPLOADS_MIB_MAX: "1" } },
  });
  ({ port } = (await system.start("gateway-operator")) as unknown as { port: number });
});
afterAll(() => system.close());

type Request = { method?: string; body?: FormData | string; headers?: Record<string, string> };
type Answer = { status: number; body: Record<string, unknown> };

async function ask(path: string, how: Request, sub = "olga", roles?: OperatorRole[]): Promise<Answer> {
  const token = await system.identity.token({ claims: { sub, ...(roles && { roles }) } });
  const headers = { ...how.headers, Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}/operator/settlements${path}`, { ...how, headers });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

async function send(content: string): Promise<Answer> {
  const body = new FormData();
  body.set("file", new Blob([content]), "bank.csv");
  return await ask(`?accountId=${TEST_ACCOUNT_ID}&mapping=generic`, { method: "POST", body });
}

async function upload(content: string): Promise<string> {
  const sent = await send(content);
  expect(sent.status).toBe(202);
  return sent.body["importId"] as string;
}

/** The file, once it has been read. */
async function read(importId: string): Promise<Answer["body"]> {
  let found: Answer["body"] = {};
  await eventually(async () => {
    found = (await ask(`/${importId}`, {})).body;
    expect(found["state"]).not.toBe("READING");
  });
  return found;
}

const confirm = (importId: string, sub: string, roles?: OperatorRole[]) =>
  ask(`/${importId}/confirm`, { method: "POST" }, sub, roles);

test("a file counts once another person has confirmed it, and the log names file and people", async () => {
  const content = genericFile(genericLine(), genericLine({ gross: "x" }));
  const importId = await upload(content);
  const proposed = await read(importId);
  expect(proposed).toMatchObject({
    state: "PROPOSED",
    lines: 1,
    faults: 1,
    kinds: [{ kind: "SALE", currency: "TRY", lines: 1, grossAmount: 12.5, feeAmount: 0, netAmount: 12.5 }],
    firstDay: "2026-03-11",
    senderConfirms: false,
    verdicts: { MISSING_HERE: 1 },
    differences: { opens: { MISSING_HERE: 1, UNREADABLE: 1 }, resolves: {} },
    faultyLines: [{ line: 3, reason: "gross: not an amount" }],
  });
  await eventually(async () => expect(await system.query("select from settlement.upload_part")).toEqual([]));
  expect(await confirm(importId, "olga")).toMatchObject({ status: 403, body: { code: "same_person" } });
  expect(await confirm(randomUUID(), "bora")).toMatchObject({ status: 404 });
  expect(await confirm(importId, "bora", ["viewer"])).toMatchObject({ status: 403 });
  expect(await confirm(importId, "bora")).toMatchObject({
    status: 200,
    body: { state: "TAKEN", importedBy: "olga", confirmedBy: "bora" },
  });
  expect(await confirm(importId, "bora")).toMatchObject({
    status: 409,
    body: { code: "nothing_to_confirm" },
  });
  const [kept] = await system.query<{ imported_by: string }>(
    "select imported_by from settlement.import where import_id = $1",
    [importId],
  );
  expect(kept!.imported_by).toMatch(/^operator \S+ olga$/);
  const audited = await system.query<{ actor: string; action: string; detail: string }>(
    "select actor, action, detail from settlement.audit_entry where subject = $1 and action <> 'forbidden' order by sequence",
    [importId],
  );
  expect(audited.map(({ actor, action }) => [actor, action])).toEqual([
    ["olga", "settlement.proposed"],
    ["bora", "settlement.imported"],
  ]);
  for (const { detail } of audited)
    expect(JSON.parse(detail)).toMatchObject({
      account: TEST_ACCOUNT_ID,
      importedBy: "olga",
      sha256: createHash("sha256").update(content).digest("hex"),
      bytes: content.length,
    });
  await eventually(async () => expect(await read(importId)).toMatchObject({ verdicts: { MISSING_HERE: 1 } }));
});

test("a file that waits is refused by one person, who says why, and leaves nothing but its line in the list", async () => {
  const content = genericFile(genericLine(), genericLine({ gross: "x" }));
  const importId = await upload(content);
  await read(importId);
  const refuse = (sub: string, reason = "the wrong day", roles?: OperatorRole[]) =>
    ask(
      `/${importId}/refuse`,
      { method: "POST", body: JSON.stringify({ reason }), headers: { "Content-Type": "application/json" } },
      sub,
      roles,
    );
  expect(await refuse("bora", "the wrong day", ["viewer"])).toMatchObject({ status: 403 });
  expect(await refuse("bora", "")).toMatchObject({ status: 400 });
  expect(await refuse("bora")).toMatchObject({
    status: 200,
    body: { state: "REFUSED", reason: "refused", detail: "the wrong day", importedBy: "olga" },
  });
  for (const again of [refuse("bora"), confirm(importId, "bora")])
    expect(await again).toMatchObject({ status: 409, body: { code: "nothing_to_confirm" } });
  for (const table of ["line", "line_fault"])
    expect(await system.query(`select from settlement.${table} where import_id = $1`, [importId])).toEqual(
      [],
    );
  const audited = await system.query<{ actor: string; action: string }>(
    "select actor, action from settlement.audit_entry where subject = $1 and action = 'settlement.refused'",
    [importId],
  );
  expect(audited).toEqual([{ actor: "bora", action: "settlement.refused" }]);
  // The same bytes can be sent again.
  expect(await read(await upload(content))).toMatchObject({ state: "PROPOSED" });
});

test("files that are sent or wait have a share of their own, and a file beyond it leaves nothing", async () => {
  const before = await system.query("select from settlement.import");
  const large = await send(genericFile(...Array.from({ length: 12_000 }, () => genericLine())));
  expect(large).toMatchObject({ status: 503, body: { code: "uploads_full" } });
  expect(await system.query("select from settlement.import")).toEqual(before);
  // An unfinished upload uses up the share until its parts are removed.
  await system.query("delete from settlement.upload");
  const waiting = await upload(genericFile(...Array.from({ length: 7_000 }, () => genericLine())));
  expect(await read(waiting)).toMatchObject({ state: "PROPOSED" });
  const next = genericFile(...Array.from({ length: 4_000 }, () => genericLine()));
  expect(await send(next)).toMatchObject({ status: 503, body: { code: "uploads_full" } });
  await system.query("delete from settlement.upload");
  expect(await confirm(waiting, "bora")).toMatchObject({ status: 200 });
  expect(await send(next)).toMatchObject({ status: 202 });
});

test("of two copies of a file that wait one counts", async () => {
  const content = genericFile(genericLine());
  const [first, second] = [await upload(content), await upload(content)];
  await read(first);
  await read(second);
  expect(await confirm(second, "bora")).toMatchObject({ status: 200 });
  expect(await confirm(first, "bora")).toMatchObject({
    status: 409,
    body: { code: "settlement_already_taken", detail: `by import ${second}` },
  });
  expect(
    await system.query("select from settlement.import where state = 'TAKEN' and import_id = $1", [first]),
  ).toEqual([]);
});
