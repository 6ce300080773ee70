import { createHash, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { SettlementDatabase } from "./database.ts";
import { endInterrupted, endUnconfirmed } from "./import/end-interrupted.ts";
import { removeLeftLines } from "./import/import-queries.ts";
import { genericLine, GENERIC_HEADER, type GenericCells } from "../test/written-file.ts";
import { startSettleCommand } from "../test/settle-command.ts";
import { TEST_ACCOUNT_ID } from "@holdfast/tests/support";

let command: Awaited<ReturnType<typeof startSettleCommand>>;
beforeAll(async () => {
  command = await startSettleCommand();
});
beforeEach(async () => {
  await command.query("truncate settlement.import cascade");
});
afterAll(() => command.close());

const line = (change: Partial<GenericCells> = {}) =>
  genericLine({
    kind: "SALE",
    reference: randomUUID(),
    bank_reference: "b-1",
    auth_code: "A1",
    card: "411111******1111",
    gross: "12.50",
    fee: "0.25",
    net: "12.25",
    currency: "TRY",
    transacted_at: "2026-11-20T13:00:00",
    settles_on: "2026-11-23",
    payout_id: "p-1",
    ...change,
  });

const imports = () =>
  command.query<{ state: string; reason: string | null; lines: number; faults: number }>(
    "select state, reason, lines, faults from settlement.import order by created_at, import_id",
  );
const counts = async () =>
  (
    await command.query(
      `select (select count(*)::int from settlement.line) as lines,
         (select count(*)::int from settlement.line_fault) as faults`,
    )
  )[0];

test("a file is taken: its lines, the reasons of those that cannot be read, its hash, and who did it", async () => {
  const { code, output } = await command.take(line(), line({ gross: "x" }), line());
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(/: 2 lines taken, 1 lines with faults\n/) as string,
  });
  expect(await imports()).toEqual([{ state: "TAKEN", reason: null, lines: 2, faults: 1 }]);
  expect(await command.query("select line_no, reason from settlement.line_fault")).toEqual([
    { line_no: 3, reason: "gross: not an amount" },
  ]);
  expect(await command.query("select line_no, gross_minor::text from settlement.line order by 1")).toEqual([
    { line_no: 2, gross_minor: "1250" },
    { line_no: 4, gross_minor: "1250" },
  ]);
  const [entry] = await command.query<{ action: string; actor: string; detail: string }>(
    "select actor, action, detail from settlement.audit_entry order by sequence desc limit 1",
  );
  expect(entry).toMatchObject({
    action: "settlement.imported",
    actor: "settle (olga)",
  });
  expect(JSON.parse(entry!.detail)).toMatchObject({
    account: TEST_ACCOUNT_ID,
    mapping: "generic",
    lines: 2,
    faults: 1,
  });
});

test("a file waits for a second person where nothing else is set, and not forever", async () => {
  const file = await command.write([GENERIC_HEADER, line(), ""].join("\n"));
  const twoPeople = { FILE_CHANGES_TWO_PEOPLE: "" };
  const { code, output } = await command.runWith(twoPeople, "import", file, "--mapping", "generic");
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(
      /: 1 lines read, 0 lines with faults\nthey count once another person/,
    ) as string,
  });
  expect(await imports()).toEqual([{ state: "PROPOSED", reason: null, lines: 1, faults: 0 }]);
  const pool = new Pool({ connectionString: command.database.urls.settlement.app });
  onTestFinished(() => pool.end());
  const refused: string[] = [];
  const end = () =>
    endUnconfirmed(createDatabase<SettlementDatabase>(pool), {
      fileRefused: (_file, reason) => void refused.push(reason),
    });
  await end();
  expect(await counts()).toEqual({ lines: 1, faults: 0 });
  await command.query("update settlement.import set created_at = now() - interval '31 days'");
  await end();
  expect(refused).toEqual(["not_confirmed"]);
  expect(await imports()).toMatchObject([{ state: "REFUSED", reason: "not_confirmed" }]);
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
});

test("the same file is refused the second time, by whatever name, and taken for another account", async () => {
  const content = [GENERIC_HEADER, line(), ""].join("\n");
  const again = async (...more: string[]) =>
    await command.run("import", await command.write(content), "--mapping", "generic", ...more);
  expect(await again()).toMatchObject({ code: 0 });
  expect(await again()).toMatchObject({
    code: 1,
    output: expect.stringContaining("already_imported") as string,
  });
  await command.query("insert into settlement.account (account_id) values ('second') on conflict do nothing");
  expect(await again("--account", "second")).toMatchObject({ code: 0 });
  expect((await imports()).map(({ state, reason }) => [state, reason])).toEqual([
    ["TAKEN", null],
    ["REFUSED", "already_imported"],
    ["TAKEN", null],
  ]);
  expect(await counts()).toEqual({ lines: 2, faults: 0 });
});

test("of two who take the same file at the same time one does", async () => {
  const lines = Array.from({ length: 2_000 }, () => line());
  const results = await Promise.all([command.take(...lines), command.take(...lines)]);
  expect(results.map(({ code }) => code).toSorted()).toEqual([0, 1]);
  expect(await counts()).toEqual({ lines: 2_000, faults: 0 });
});

test.each([
  ["that is empty", "", "empty"],
  ["with other columns", "a,b\n1,2\n", "mapping_does_not_fit"],
  ["of another encoding", Buffer.from(`${GENERIC_HEADER}\n`, "utf16le"), "encoding"],
  ["of which no line can be read", `${GENERIC_HEADER}\n=1,2\n`, "mapping_does_not_fit"],
])("a file %s is refused with its reason, and leaves nothing", async (_, content, reason) => {
  const result = await command.run("import", await command.write(content), "--mapping", "generic");
  expect(result).toMatchObject({ code: 1, output: expect.stringContaining(`refused (${reason})`) as string });
  expect(result.output).toContain("nothing of the file was taken");
  expect(await imports()).toEqual([{ state: "REFUSED", reason, lines: 0, faults: 0 }]);
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
  const [entry] = await command.query<{ actor: string; detail: string }>(
    "select actor, detail from settlement.audit_entry where action = 'settlement.refused' order by sequence desc limit 1",
  );
  expect([entry!.actor, JSON.parse(entry!.detail)]).toEqual([
    "settle (olga)",
    {
      account: TEST_ACCOUNT_ID,
      mapping: "generic",
      reason,
      sha256: createHash("sha256").update(content).digest("hex"),
    },
  ]);
});

test("a file that is cut off after thousands of lines leaves nothing, and can be taken when it is whole", async () => {
  const header =
    "transactionDate,transactionStatus,paymentTxId,conversationId,paymentGid,paidPrice,iyziCommissionRate,iyziCommissionFee,settlementPriceTRY,settlementCurrency,settlementReferenceCode,settlementResolveDate,totalMerchantPayoutAmount";
  const item = (index: number) =>
    `2026-11-20 13:00:00,PAYMENT,${index},${randomUUID()},1,10.00,0.20,0.10,9.70,TRY,S-1,2026-11-23 00:00:00,`;
  const items = Array.from({ length: 3_000 }, (_, index) => item(index));
  const whole = [header, ...items, "TOTAL,,,,,,,,,,,,29100.00", ""].join("\r\n");
  const cut = whole.slice(0, -40);
  const take = async (content: string) =>
    await command.run("import", await command.write(content), "--mapping", "iyzico");
  expect(await take(cut)).toMatchObject({ code: 1, output: expect.stringContaining("truncated") as string });
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
  expect(await take(whole)).toMatchObject({ code: 0 });
  expect(await counts()).toEqual({ lines: 3_000, faults: 0 });
});

test("a preview says what a file comes to, and keeps nothing", async () => {
  const file = await command.write([GENERIC_HEADER, line(), line({ gross: "x" }), line(), ""].join("\n"));
  const preview = ["import", file, "--mapping", "generic", "--preview"];
  expect(await command.run(...preview)).toEqual({
    code: 0,
    output: [
      "2 lines can be read, 1 cannot; days 2026-11-23 to 2026-11-23",
      "  SALE: 2 lines, gross 25, fee 0.5, net 24.5 TRY",
      "  2 lines would be MISSING_HERE",
      "  2 differences would begin: MISSING_HERE",
      "  1 differences would begin: UNREADABLE",
      "  line 3: gross: not an amount",
      "nothing of the file was kept",
      "",
    ].join("\n"),
  });
  expect(await imports()).toEqual([]);
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
  expect(await command.run("import", file, "--mapping", "generic")).toMatchObject({ code: 0 });
  expect(await command.run(...preview)).toMatchObject({
    code: 1,
    output: expect.stringContaining("it would be refused (already_imported)") as string,
  });
});

test("an unknown mapping, or a mapping of one's own", async () => {
  const file = await command.write([GENERIC_HEADER, line(), ""].join("\n"));
  expect(await command.run("import", file, "--mapping", "mine")).toMatchObject({
    code: 1,
    output: expect.stringContaining("unknown_mapping") as string,
  });
  const shipped = await readFile(
    new URL("../../../deploy/settlement-mappings/generic.json", import.meta.url),
    "utf8",
  );
  await writeFile(
    `${command.directory}/mine.json`,
    shipped.replace('"source": "generic"', '"source": "mine"'),
  );
  expect(
    await command.run("import", file, "--mapping", "mine", "--mappings", command.directory),
  ).toMatchObject({ code: 0 });
});

test("a file of an account that does not exist is refused, and leaves no trace", async () => {
  const file = await command.write([GENERIC_HEADER, line(), ""].join("\n"));
  expect(await command.run("import", file, "--mapping", "generic", "--account", "nowhere")).toEqual({
    code: 1,
    output:
      'refused (unknown_account): there is no account "nowhere" at a bank\nnothing of the file was taken\n',
  });
  expect(await imports()).toEqual([]);
});

test("a file whose name has a card number in it is refused, and leaves no trace", async () => {
  const file = join(command.directory, "report-4916391027568433.csv");
  await writeFile(file, [GENERIC_HEADER, line(), ""].join("\n"));
  expect(await command.run("import", file, "--mapping", "generic")).toMatchObject({
    code: 1,
    output: expect.stringContaining("refused (file_name)") as string,
  });
  expect(await imports()).toEqual([]);
});

test("a file whose lines name another account's payments is refused, leaves nothing, and is taken for that account", async () => {
  const ids = Array.from({ length: 3 }, () => randomUUID());
  await command.query("insert into settlement.account (account_id) values ('second') on conflict do nothing");
  await command.query(
    `insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version,
       order_id, masked_pan) select id, 'second', gen_random_uuid(), 'SALE', 'DONE', 1250, 'TRY', now(), 1, 'o', '411111******1111'
     from unnest($1::uuid[]) as id`,
    [ids],
  );
  const since = `select compared_since from settlement.account where account_id = '${TEST_ACCOUNT_ID}'`;
  const before = await command.query(since);
  const lines = [...ids.map((reference) => line({ reference, settles_on: "2020-01-01" })), line()];
  const content = [GENERIC_HEADER, ...lines, ""].join("\n");
  const take = async (account: string) =>
    await command.run("import", await command.write(content), "--mapping", "generic", "--account", account);
  const { code, output } = await take(TEST_ACCOUNT_ID);
  expect([code, output.slice(output.indexOf("refused"))]).toEqual([
    1,
    'refused (of_another_account): its lines name payments of the account "second"\nnothing of the file was taken\n',
  ]);
  expect(await imports()).toEqual([{ state: "REFUSED", reason: "of_another_account", lines: 0, faults: 0 }]);
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
  expect(await command.query(since)).toEqual(before);
  expect(await take("second")).toMatchObject({ code: 0 });
});

test("a command that is none is refused, with the two that there are", async () => {
  await expect(command.run("import")).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("import FILE --account ID --mapping NAME, or check"),
  });
  expect(await command.run("--help")).toMatchObject({ code: 0 });
});

test("of a file whose reader has died nothing counts, and it can be taken again", async () => {
  const content = [GENERIC_HEADER, line(), ""].join("\n");
  await command.query(
    `insert into settlement.import (account_id, mapping, file_name, imported_by, state, lease_token, lease_until)
     values ('${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'settle', 'READING', gen_random_uuid(), now() - interval '1 second')`,
  );
  await command.query(
    `insert into settlement.line (import_id, line_no, account_id, kind, gross_minor, fee_minor, net_minor, currency)
     select import_id, 2, account_id, 'SALE', 1, 0, 1, 'TRY' from settlement.import`,
  );
  const pool = new Pool({ connectionString: command.database.urls.settlement.app });
  const db = createDatabase<SettlementDatabase>(pool);
  await removeLeftLines(db);
  expect(await counts()).toEqual({ lines: 1, faults: 0 });
  await endInterrupted(db, { fileRefused: () => {} });
  expect(await imports()).toEqual([{ state: "REFUSED", reason: "interrupted", lines: 0, faults: 0 }]);
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
  // A process that dies between the refusal and the end of the removal leaves such lines.
  await command.query(
    `insert into settlement.line_fault (import_id, line_no, reason) select import_id, 2, 'x' from settlement.import`,
  );
  await removeLeftLines(db);
  expect(await counts()).toEqual({ lines: 0, faults: 0 });
  await db.destroy();
  expect(await command.run("import", await command.write(content), "--mapping", "generic")).toMatchObject({
    code: 0,
  });
});
