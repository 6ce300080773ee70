import { withClient } from "@holdfast/sandbox/infrastructure";
import type { TestDatabase } from "@holdfast/tests/support";
import { describe, expect, test } from "vitest";
import { append, auditedDatabase, withLog } from "../test/audited-database.ts";
import { verifyAuditChain } from "./audit-chain.ts";
import { readAuditEntries, readAuditEntriesBefore, type AuditPage } from "./audit-log.ts";

test("where the server's clock has stepped back, an entry gets the time of the one before it", async () => {
  const database = await auditedDatabase();
  const sql =
    "update payments.audit_entry set at = date_trunc('second', now()) + interval '1 hour' where sequence = 2";
  await withClient(database.superuserUrl, async (client) => void (await client.query(sql)));
  const [newest, before] = await withLog(database, "payments", async (db) => {
    await append(db, "alice");
    return await readAuditEntriesBefore(db, "payments", { limit: 2 });
  });
  expect(newest).toMatchObject({ sequence: 3, at: before!.at });
});

test("of twenty that append at once each has its place, and the chain is whole", async () => {
  const database = await auditedDatabase();
  const verdict = await withLog(database, "payments", async (db) => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => append(db, `operator ${index}`)));
    return await verifyAuditChain(readAuditEntries(db, "payments"));
  });
  expect(verdict).toMatchObject({ intact: true, entries: 22n });
});

describe("a page of a log", () => {
  async function read(database: TestDatabase, filter: Omit<AuditPage, "limit">): Promise<string[]> {
    const entries = await withLog(database, "payments", (db) =>
      readAuditEntriesBefore(db, "payments", { limit: 10, ...filter }),
    );
    return entries.map(({ action }) => action);
  }

  test("is newest first, and narrowed to what is given", async () => {
    const database = await auditedDatabase();
    const [newest] = await withLog(database, "payments", (db) =>
      readAuditEntriesBefore(db, "payments", { limit: 1 }),
    );
    const all = ["thing.undone", "thing.done"];
    expect(await read(database, {})).toEqual(all);
    expect(await read(database, { actor: "alice" })).toEqual(["thing.done"]);
    expect(await read(database, { action: "thing.undone" })).toEqual(["thing.undone"]);
    expect(await read(database, { subject: "payments" })).toEqual(all);
    expect(await read(database, { subject: "refunds" })).toEqual([]);
    expect(await read(database, { actor: "alice", action: "thing.undone" })).toEqual([]);
    expect(await read(database, { before: newest! })).toEqual(["thing.done"]);
    expect(await read(database, { from: "2100-01-01T00:00:00Z" })).toEqual([]);
    expect(await read(database, { to: "2100-01-01T00:00:00+03:00" })).toEqual(all);
  });
});
