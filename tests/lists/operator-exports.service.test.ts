// The lists of operators whose cursors are their services' own, as files with all of their rows.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STAFF_AUDIENCE } from "../support/index.ts";
import { startExportSystem, type ExportSystem } from "./export-system.ts";
import { COUNT, EXPORTED_LISTS, type ExportedList } from "./exported-lists.ts";
import { readAll, type ListAnswer, type ListedItem } from "./list-system.ts";

const CSV = "text/csv";
const NDJSON = "application/x-ndjson";

let system: ExportSystem;
let mine: string;
let theirs: string;
beforeAll(async () => {
  system = await startExportSystem();
  [mine, theirs] = [await system.openShop("Mina's"), await system.openShop("Theirs")];
  for (const { insert } of EXPORTED_LISTS) await insert(system.query, [mine, theirs]);
});
afterAll(() => system?.close());

const ask = (...asked: Parameters<ExportSystem["ask"]>) => system.ask(...asked);

const listed = (path: string, query = "") =>
  readAll((more) => ask("operator", path + more), `limit=200&${query}`);

/** The rows of a file that says how many they are, without its header. */
function rowsOf({ status, text }: ListAnswer): string[] {
  const [, ...rows] = text.trimEnd().split("\r\n");
  const end = rows.pop();
  expect([status, end]).toEqual([200, expect.stringMatching(new RegExp(`^#rows,${rows.length},+$`))]);
  return rows;
}

/** Compares items and rows by the columns that rows begin with, which have no comma. */
const keyOf = ({ key }: ExportedList) => ({
  ofItem: (item: ListedItem) => key.map((name) => String(item[name])).join(),
  ofRow: (row: string) => row.split(",", key.length).join(),
});

describe.each(EXPORTED_LISTS)("$path", (list) => {
  const { path, header, file, filters, formula } = list;
  const { ofItem, ofRow } = keyOf(list);

  test("a CSV has every row of the list, in its order, under a telling name, and says how many they are", async () => {
    const items = await listed(path);
    expect(items.length).toBeGreaterThanOrEqual(COUNT);
    const answer = await ask("operator", path, { accept: CSV });
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(
      new RegExp(`^attachment; filename="${file}\\d{8}T\\d{6}Z\\.csv"$`),
    );
    expect(answer.text.split("\r\n", 1)[0]).toBe(header);
    expect(rowsOf(answer).map(ofRow)).toEqual(items.map(ofItem));
  });

  test("it has what the list has of each, as NDJSON too, and nothing that is shown nowhere", async () => {
    const items = await listed(path);
    const { text: lines } = await ask("operator", path, { accept: NDJSON });
    const objects = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ListedItem);
    expect(objects.pop()).toEqual({ rows: items.length });
    expect(objects.map(withoutClock)).toEqual(items.map(withoutClock));
    expect(lines).not.toContain("Lovelace");
  });

  test("what its filters find is in its file, and nothing else", async () => {
    const all = await listed(path);
    for (const [query, matches] of filters) {
      const wanted = all.filter(matches).map(ofItem);
      expect(wanted.length).toBeGreaterThan(0);
      expect(wanted.length).toBeLessThan(all.length);
      const answer = await ask("operator", `${path}?${query}&bom=1`, { accept: CSV });
      expect(rowsOf(answer).map(ofRow), query).toEqual(wanted);
    }
  });

  test("a cell that a spreadsheet would take for a formula begins with an apostrophe", async () => {
    if (formula !== undefined) expect((await ask("operator", path, { accept: CSV })).text).toContain(formula);
    expect((await ask("operator", path, { accept: CSV })).text).not.toMatch(/[,\n]"?[=+@]/);
  });

  test("what has no place in a file, or in a page, is refused", async () => {
    for (const [query, accept] of [
      ["limit=5", CSV],
      ["cursor=x", NDJSON],
      ["bom=1", NDJSON],
      ["bom=1", "application/json"],
    ] as const) {
      const { status, text } = await ask("operator", `${path}?${query}`, { accept });
      const [field] = query.split("=");
      expect([status, JSON.parse(text)]).toMatchObject([400, { errors: [{ field, code: "not_allowed" }] }]);
    }
  });

  test("whoever may read the list gets its file, and nobody else", async () => {
    expect((await ask("operator", path, { accept: CSV, claims: { roles: ["viewer"] } })).status).toBe(200);
    expect((await ask("operator", path, { accept: CSV, claims: { roles: [] } })).status).toBe(403);
    const ofStaff = { aud: STAFF_AUDIENCE, sub: "mina", merchant_id: mine, roles: ["owner"] };
    expect((await ask("operator", path, { accept: CSV, claims: ofStaff })).status).toBe(401);
    const onTheirListener = await ask("staff", path, { accept: CSV, claims: ofStaff });
    expect(onTheirListener.status).toBe(path === "webhook-deliveries" ? 200 : 404);
  });
});

/** Leaves out the fields that depend on the current time. */
function withoutClock({ remainingSeconds: _remaining, ageSeconds: _age, ...item }: ListedItem) {
  return item;
}

test("closed differences are in a file of their own", async () => {
  const answer = await ask("operator", "differences?state=CLOSED", { accept: CSV });
  expect(rowsOf(answer)).toHaveLength(20);
  expect(rowsOf(answer)[0]).toMatch(/^[\da-f-]{36},\w+,\w+,CLOSED,1\d\.\d\d,TRY,,,,,'=late,/);
});

test("a merchant's staff get their own deliveries and nobody else's", async () => {
  const all = await listed("webhook-deliveries");
  const own = all.filter(({ merchantId }) => merchantId === mine).map(({ eventId }) => eventId);
  expect(own).toHaveLength(COUNT / 2);
  const claims = { aud: STAFF_AUDIENCE, sub: "selim", merchant_id: mine, roles: ["support"] };
  const answer = await ask("staff", "webhook-deliveries", { accept: CSV, claims });
  expect(rowsOf(answer).map((row) => row.slice(0, 36))).toEqual(own);
  expect(answer.text).not.toContain(theirs);
  const nobody = await ask("staff", "webhook-deliveries", { accept: CSV, claims: { ...claims, roles: [] } });
  expect(nobody.status).toBe(403);
});

test("what another service adds to the audit log meanwhile is on none of the pages behind", async () => {
  const add = (schema: string, sequence: number) =>
    system.query(
      `insert into ${schema}.audit_entry (sequence, at, actor, action, subject, detail, hash)
       values ($1, date_trunc('milliseconds', clock_timestamp()), 'olga', 'paged.thing', 'thing', '{}', sha256(''))`,
      [sequence],
    );
  for (const sequence of [1_001, 1_002, 1_003]) await add("payments", sequence);
  let added = 1_000;
  const items = await readAll(
    (more) => ask("operator", `audit-log${more}`),
    "limit=1&action=paged.thing",
    async () => void (await add("refunds", ++added)),
  );
  expect(items.map(({ service, sequence }) => [service, sequence])).toEqual([
    ["payments", 1_003],
    ["payments", 1_002],
    ["payments", 1_001],
  ]);
  expect(await listed("audit-log", "action=paged.thing")).toHaveLength(6);
});
