import { randomUUID } from "node:crypto";
import { request } from "node:http";
import type { OperatorRole } from "@holdfast/contracts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keyRingSetting } from "@holdfast/service-runtime";
import { sealAtRest } from "@holdfast/sealing";
import { ownerOfPart } from "../../services/settlement/src/import/read-uploads.ts";
import { genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
let port: number;
beforeAll(async () => {
  system = await startSettlementHarness({
    services: ["payments", "refunds", "settlement", "gateway-operator"],
    running: ["payments", "refunds", "settlement"],
    envOf: { settlement: { MATCH_INTERVAL: "50ms" } },
  });
  ({ port } = (await system.start("gateway-operator")) as unknown as { port: number });
});
beforeEach(async () => {
  // PostgreSQL may end it for the sake of a pass of the service that holds one of these tables and waits for another.
  await eventually(() => system.query("truncate settlement.import, settlement.upload cascade"));
});
afterAll(() => system.close());

const PAN = "4539578763621486";

type Sent = { roles?: OperatorRole[]; query?: string; path?: string };
type Answer = { status: number; body: Record<string, unknown> & { importId?: string } };
const urlOf = (query: string, path = "") => `http://127.0.0.1:${port}/operator/settlements${path}?${query}`;
const DEFAULT = `accountId=${TEST_ACCOUNT_ID}&mapping=generic`;
const authorization = async (roles?: OperatorRole[]) =>
  `Bearer ${await system.identity.token({ claims: { sub: "olga", ...(roles && { roles }) } })}`;

async function preview(content: string | Uint8Array<ArrayBuffer>, sent: Sent = {}): Promise<Answer> {
  const form = new FormData();
  form.set("file", new Blob([content]), "bank.csv");
  return await send(form, { ...sent, path: "/preview" });
}

async function upload(content: string | Uint8Array<ArrayBuffer>, sent: Sent = {}): Promise<Answer> {
  const form = new FormData();
  form.set("file", new Blob([content]), "bank.csv");
  return await send(form, sent);
}

async function send(form: FormData, { roles, query = DEFAULT, path }: Sent = {}): Promise<Answer> {
  const headers = { Authorization: await authorization(roles) };
  const answer = await fetch(urlOf(query, path), { method: "POST", headers, body: form });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

/** The import of the file, once it has been read. */
async function read(importId: string | undefined) {
  let found: Answer["body"] = {};
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/operator/settlements/${importId}`, {
      headers: { Authorization: await authorization() },
    });
    found = (await answer.json()) as Answer["body"];
    expect(found["state"]).not.toBe("READING");
  });
  return found;
}

const rows = async () =>
  (
    await system.query(
      `select (select count(*)::int from settlement.line) as lines, (select count(*)::int from settlement.upload) as uploads,
         (select count(*)::int from settlement.upload_part) as parts`,
    )
  )[0];

test("a file of several parts is taken, with who sent it, and the account of what could not be read", async () => {
  const lines = Array.from({ length: 4_000 }, () => genericLine());
  const content = genericFile(
    ...lines,
    genericLine({ gross: "x", net: "12.50" }),
    genericLine({ auth_code: "a\u0001", payout_id: "=cmd()" }),
    `"${genericLine()}`,
  );
  const { status, body } = await upload(`\uFEFF${content}`);
  expect({ status, state: body["state"] }).toEqual({ status: 202, state: "READING" });
  expect(await read(body.importId)).toMatchObject({
    state: "TAKEN",
    fileName: "bank.csv",
    importedBy: "olga",
    lines: 4_001,
    faults: 2,
    faultyLines: [
      { line: 4_002, reason: "gross: not an amount" },
      { line: 4_004, reason: expect.stringMatching(/quote/) as string },
    ],
    notedLines: [{ line: 4_003, reason: "authCode: characters that cannot be printed" }],
  });
  await eventually(async () => expect(await rows()).toEqual({ lines: 4_001, uploads: 0, parts: 0 }));
});

test("whole card numbers of a bank's file are masked while they are read, and its bytes are sealed at rest", async () => {
  const sent = await upload(
    genericFile(genericLine({ card: PAN }), genericLine({ kind: PAN }), genericLine({ auth_code: PAN })),
  );
  expect(await read(sent.body.importId)).toMatchObject({
    state: "TAKEN",
    lines: 2,
    notedLines: [{ line: 4, reason: "authCode: a card number" }],
  });
  expect(await system.query("select masked_pan from settlement.line where masked_pan is not null")).toEqual([
    { masked_pan: "453957******1486" },
  ]);
});

test("the same file is refused the second time, and one of two that come together is taken", async () => {
  const content = genericFile(genericLine());
  await read((await upload(content)).body.importId);
  expect(await upload(content)).toMatchObject({ status: 409, body: { code: "settlement_already_taken" } });
  const other = genericFile(genericLine(), genericLine());
  const answers = await Promise.all([upload(other), upload(other)]);
  const ended = await Promise.all(
    answers.map(async ({ body }) => (body.importId ? (await read(body.importId))["state"] : body["code"])),
  );
  expect(ended.filter((state) => state === "TAKEN")).toHaveLength(1);
  await eventually(async () => expect(await rows()).toEqual({ lines: 3, uploads: 0, parts: 0 }));
});

test.each([
  ["of another encoding", Buffer.from(genericFile(genericLine()), "utf16le"), "encoding"],
  ["with other columns", "a,b\n1,2\n", "mapping_does_not_fit"],
  ["that is one line of megabytes", Buffer.alloc(3_000_000, "x"), "encoding"],
])("a file %s is refused whole, with its reason", async (_, content, reason) => {
  const { status, body } = await upload(content);
  expect(status).toBe(202);
  expect(await read(body.importId)).toMatchObject({ state: "REFUSED", reason, lines: 0 });
  await eventually(async () => expect(await rows()).toEqual({ lines: 0, uploads: 0, parts: 0 }));
});

test.each([
  ["an account that there is not", "accountId=nowhere&mapping=generic", "accountId"],
  ["a mapping that there is not", `accountId=${TEST_ACCOUNT_ID}&mapping=mine`, "mapping"],
])("%s is an error of its field, and leaves nothing", async (_, query, field) => {
  expect(await upload(genericFile(genericLine()), { query })).toMatchObject({
    status: 400,
    body: { code: "validation_failed", errors: [{ field }] },
  });
  expect(await rows()).toEqual({ lines: 0, uploads: 0, parts: 0 });
});

test("a form has one part, which is the file, and is sent as one, by who may", async () => {
  const two = new FormData();
  two.set("file", new Blob([genericFile(genericLine())]), "a.csv");
  two.set("again", new Blob([genericFile(genericLine())]), "b.csv");
  const other = new FormData();
  other.set("other", new Blob([genericFile(genericLine())]), "a.csv");
  for (const form of [two, other, new FormData()])
    expect(await send(form)).toMatchObject({ status: 400, body: { errors: [{ field: "file" }] } });
  const plain = await fetch(urlOf(DEFAULT), {
    method: "POST",
    headers: { Authorization: await authorization(), "Content-Type": "text/csv" },
    body: genericFile(genericLine()),
  });
  expect(plain.status).toBe(415);
  expect(await upload(genericFile(genericLine()), { roles: ["viewer"] })).toMatchObject({ status: 403 });
  expect(await system.query("select from settlement.import")).toEqual([]);
});

test.each([
  ["no boundary", "charset=utf-8"],
  ["an empty boundary", "boundary="],
  ["a boundary of 5 000 characters", `boundary=${"b".repeat(5_000)}`],
])("a form with %s is refused with its field", async (_which, parameter) => {
  const type = { "Content-Type": `multipart/form-data; ${parameter}` };
  const headers = { Authorization: await authorization(), ...type };
  const answer = await fetch(urlOf(DEFAULT), { method: "POST", headers, body: "--b" });
  expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ field: "file" }] }]);
});

test("of a form that is cut off nothing is an import, whether its sender ends it or is gone", async () => {
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${genericFile(genericLine())}`;
  const headers = { Authorization: await authorization(), "Content-Type": "multipart/form-data; boundary=x" };
  const ended = await fetch(urlOf(DEFAULT), { method: "POST", headers, body: head });
  expect(ended.status).toBe(400);
  const leaving = request(urlOf(DEFAULT), { method: "POST", headers });
  leaving.on("error", () => {});
  leaving.write(head + "x".repeat(1_000_000));
  await eventually(async () => expect(await rows()).toMatchObject({ uploads: 2 }));
  leaving.destroy();
  expect(await system.query("select from settlement.import")).toEqual([]);
  // No further part comes, so the stored bytes are deleted.
  await eventually(async () => {
    await system.query("update settlement.upload set touched_at = now() - interval '3 minutes'");
    expect(await rows()).toEqual({ lines: 0, uploads: 0, parts: 0 });
  });
});

test("a file whose reader has died is read by the next one, and given up when that has happened too often", async () => {
  const fileKeys = keyRingSetting().parse(system.environment("settlement").FILE_KEYS);
  const leave = async (tries: number) => {
    const importId = randomUUID();
    const content = Buffer.from(genericFile(genericLine()));
    const sealed = sealAtRest(fileKeys, ownerOfPart(importId, 0), content);
    await system.query(
      `with sent as (
         insert into settlement.upload (import_id, account_id, mapping, file_name, uploaded_by, sealed_at, tries)
         values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', now(), $2) returning import_id
       ), kept as (
         insert into settlement.upload_part (import_id, part, bytes, content) values ($1, 0, octet_length($3::bytea), $4)
       )
       insert into settlement.import (import_id, account_id, mapping, file_name, imported_by, sha256, state, lease_token,
         lease_until)
       select import_id, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', sha256($3::bytea), 'READING', gen_random_uuid(),
         now() - interval '1 second' from sent`,
      [importId, tries, content, sealed],
    );
    return await read(importId);
  };
  expect(await leave(1)).toMatchObject({ state: "TAKEN", lines: 1 });
  expect(await leave(3)).toMatchObject({ state: "REFUSED", reason: "interrupted" });
  await eventually(async () => expect(await rows()).toEqual({ lines: 1, uploads: 0, parts: 0 }));
});

test("a preview says what taking a file comes to, and keeps nothing; taking it then comes to that", async () => {
  await system.query("update settlement.account set settlement_days = 400");
  const [paid, altered, half] = [
    await system.sell("1000"),
    await system.sell("2000"),
    await system.sell("3000"),
  ];
  const refund = await system.refund(paid, "400");
  const line = (kind: string, reference: string, gross: string, more: object = {}) =>
    genericLine({ kind, reference, bank_reference: `b-${reference}`, gross, net: gross, ...more });
  const part = (installment: string) =>
    line("SALE", half, "15.00", { bank_reference: `b-${half}-${installment}` });
  await read((await upload(genericFile(part("1")))).body.importId);
  await eventually(async () =>
    expect(await system.query("select from settlement.import where matched_at is null")).toEqual([]),
  );
  const content = genericFile(
    line("SALE", paid, "10.00", { fee: "0.20", net: "9.80" }),
    line("REFUND", refund, "-4.00"),
    line("SALE", altered, "19.99", { settles_on: "2026-03-12" }),
    part("1"),
    part("2"),
    line("SALE", randomUUID(), "7.00"),
    line("FEE", "", "-1.50", { bank_reference: "" }),
    line("SALE", paid, "x"),
  );
  const before = await system.query("select count(*)::int from settlement.difference");
  const { status, body } = await preview(content);
  const expected = { MATCHED: 3, AMOUNT_DIFFERS: 1, DUPLICATE: 1, MISSING_HERE: 1, NOT_COMPARED: 1 };
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      accountId: TEST_ACCOUNT_ID,
      mapping: "generic",
      fileName: "bank.csv",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      lines: 7,
      faults: 1,
      firstDay: "2026-03-11",
      lastDay: "2026-03-12",
      kinds: [
        { kind: "FEE", currency: "TRY", lines: 1, grossAmount: -1.5, feeAmount: 0, netAmount: -1.5 },
        { kind: "REFUND", currency: "TRY", lines: 1, grossAmount: -4, feeAmount: 0, netAmount: -4 },
        { kind: "SALE", currency: "TRY", lines: 5, grossAmount: 66.99, feeAmount: 0.2, netAmount: 66.79 },
      ],
      verdicts: expected,
      differences: {
        opens: { AMOUNT_DIFFERS: 1, DUPLICATE: 1, MISSING_HERE: 1, UNREADABLE: 1 },
        resolves: { AMOUNT_DIFFERS: 1 },
      },
      faultyLines: [{ line: 9, reason: "gross: not an amount" }],
    },
  });
  expect(await rows()).toEqual({ lines: 1, uploads: 0, parts: 0 });
  expect(await system.query("select count(*)::int from settlement.difference")).toEqual(before);
  expect(await system.query("select from settlement.import")).toHaveLength(1);

  const { importId } = (await upload(content)).body;
  await read(importId);
  await eventually(async () => expect(await read(importId)).toMatchObject({ verdicts: expected, faults: 1 }));
  expect(await preview(content)).toMatchObject({
    status: 200,
    body: { refusal: { reason: "already_imported" }, verdicts: {} },
  });
});

test("a file that is sent for a review shows what it comes to, and counts once its sender confirms it", async () => {
  const confirm = async (importId: string | undefined) => {
    const answer = await fetch(`http://127.0.0.1:${port}/operator/settlements/${importId}/confirm`, {
      method: "POST",
      headers: { Authorization: await authorization() },
    });
    return { status: answer.status, body: (await answer.json()) as Answer["body"] };
  };
  await system.query("update settlement.account set settlement_days = 400");
  const paid = await system.sell("1000");
  const line = (kind: string, gross: string, more: object) =>
    genericLine({ kind, reference: paid, bank_reference: "b-1", gross, net: gross, ...more });
  const taken = (await upload(genericFile(line("SALE", "6.00", { payout_id: "review-1" })))).body.importId;
  await eventually(async () => expect(await read(taken)).toMatchObject({ verdicts: { AMOUNT_DIFFERS: 1 } }));

  const review = { query: `${DEFAULT}&review=true` };
  const { importId } = (
    await upload(
      genericFile(
        line("SALE", "4.00", { bank_reference: "b-2" }),
        line("PAYOUT", "5.00", { reference: "", payout_id: "review-1" }),
      ),
      review,
    )
  ).body;
  const proposed = {
    state: "PROPOSED",
    senderConfirms: true,
    verdicts: { MATCHED: 1, NOT_COMPARED: 1 },
    differences: { opens: { PAYOUT_DIFFERS: 1 }, resolves: { AMOUNT_DIFFERS: 1 } },
  };
  expect(await read(importId)).toMatchObject(proposed);
  // Looking at the file changes nothing.
  expect(await read(importId)).toMatchObject(proposed);
  const judged = "select from settlement.line where import_id = $1 and verdict is not null";
  expect(await system.query(judged, [importId])).toEqual([]);
  const before = await system.query<{ at: Date }>("select now() as at");
  expect(await confirm(importId)).toMatchObject({
    status: 200,
    body: { state: "TAKEN", importedBy: "olga", confirmedBy: "olga" },
  });
  await eventually(async () =>
    expect(
      await system.query(
        `select class, state from settlement.difference
         where account_id = $1 and (opened_at > $2 or ended_at > $2) order by class`,
        [TEST_ACCOUNT_ID, before[0]!.at],
      ),
    ).toEqual([
      { class: "AMOUNT_DIFFERS", state: "RESOLVED" },
      { class: "PAYOUT_DIFFERS", state: "OPEN" },
    ]),
  );
  expect(await confirm(importId)).toMatchObject({ status: 409, body: { code: "nothing_to_confirm" } });
});

test("a preview says why a file would be refused, and a large one is left to the command", async () => {
  expect(await preview("a,b\n1,2\n")).toMatchObject({
    status: 200,
    body: { refusal: { reason: "mapping_does_not_fit" }, lines: 0 },
  });
  expect(
    await preview(genericFile(genericLine()), { query: `accountId=${TEST_ACCOUNT_ID}&mapping=mine` }),
  ).toMatchObject({
    status: 400,
  });
  expect(await preview(genericFile(genericLine()), { roles: ["viewer"] })).toMatchObject({ status: 403 });
  expect(await preview("x".repeat(4_200_000))).toMatchObject({ status: 413 });
  expect(await rows()).toMatchObject({ lines: 0 });
});
