import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { createTestDatabase } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import type { ConsoleDatabase } from "../database.ts";
import { personOf } from "./form-token.ts";
import { FORM_KEPT_MS, forgetForm, keepForm, purgeForms, readForm } from "./kept-forms.ts";

const RING = { activeId: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
const OTHER_RING = { activeId: "k2", keys: new Map([["k2", Buffer.alloc(32, 2)]]) };
const ALICE = { person: personOf({ subject: "alice" }), page: "/refunds/1" };
const BORA = { ...ALICE, person: personOf({ subject: "bora" }) };

async function setUp() {
  const database = await createTestDatabase();
  const pool = createPool({
    url: database.urls.console.app,
    connectionsMax: 2,
    connectionTimeoutMs: 60_000,
    applicationName: "console",
    log: createLogger("test", "error"),
  });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return { db: createDatabase<ConsoleDatabase>(pool), keys: RING };
}

const formOf = (fields: [name: string, value: string][]) => new URLSearchParams(fields);
const REASON = formOf([
  ["formToken", "t-1"],
  ["key", "k-1"],
  ["reason", "returned to the shop"],
]);
const countOf = async ({ db }: Awaited<ReturnType<typeof setUp>>) =>
  (await db.selectFrom("kept_form").select("form_hash").execute()).length;

test("a form is given back until it is forgotten, with its key, to its person and on its page alone", async () => {
  const store = await setUp();
  const id = await keepForm(store, ALICE, REASON);
  const row = JSON.stringify(await store.db.selectFrom("kept_form").selectAll().executeTakeFirst());
  expect(row).not.toContain(Buffer.from("returned").toJSON().data.join(","));
  const others = [
    [BORA, id],
    [{ ...ALICE, page: "/refunds/2" }, id],
    [ALICE, `${id}x`],
  ] as const;
  for (const [place, given] of others) expect(await readForm(store, place, given!)).toBeUndefined();
  for (const [place, given] of others) await forgetForm(store, place, given!);
  const taken = await readForm(store, ALICE, id!);
  expect(taken?.isWhole).toBe(true);
  expect([...taken!.form]).toEqual([
    ["key", "k-1"],
    ["reason", "returned to the shop"],
  ]);
  await forgetForm(store, ALICE, id!);
  expect(await readForm(store, ALICE, id!)).toBeUndefined();
});

test("card numbers, an endpoint's headers and a bank's credentials are not kept, and a field keeps its place", async () => {
  const store = await setUp();
  const sent = formOf([
    ["headers", "Authorization: Basic c2hvcDpmb3Jtcw=="],
    ["secrets.apiPassword", "s3cret"],
    ["note", "first"],
    ["note", "card 4111 1111 1111 1111"],
    ["note", "third"],
  ]);
  const taken = await readForm(store, ALICE, (await keepForm(store, ALICE, sent))!);
  expect(taken?.isWhole).toBe(false);
  expect([...taken!.form]).toEqual([
    ["note", "first"],
    ["note", ""],
    ["note", "third"],
  ]);
});

test("a form that is too long is not kept, and of many the newest ten are, of each person", async () => {
  const store = await setUp();
  expect(await keepForm(store, ALICE, formOf([["reason", "x".repeat(70_000)]]))).toBeUndefined();
  expect(await countOf(store)).toBe(0);
  await keepForm(store, BORA, REASON);
  const ids: string[] = [];
  for (let count = 0; count < 12; count++) ids.push((await keepForm(store, ALICE, REASON))!);
  expect(await countOf(store)).toBe(11);
  expect(await readForm(store, ALICE, ids[0]!)).toBeUndefined();
  expect(await readForm(store, ALICE, ids.at(-1)!)).toBeDefined();
});

test("a form whose key has left the ring is given to nobody, and what is old is purged", async () => {
  const store = await setUp();
  const id = (await keepForm(store, ALICE, REASON))!;
  expect(await readForm({ ...store, keys: OTHER_RING }, ALICE, id)).toBeUndefined();
  await keepForm(store, ALICE, REASON);
  expect(await purgeForms(store.db, FORM_KEPT_MS)).toBe(0);
  expect(await purgeForms(store.db, -FORM_KEPT_MS)).toBe(2);
});
