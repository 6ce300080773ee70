import { createDatabase, DatabaseUnavailableError } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import { DatabaseError, type Pool } from "pg";
import { describe, expect, test, vi } from "vitest";
import { OutcomeUnknownError, read, write, type GatewayDatabase } from "./database.ts";

/** A database of one connection, on which statements fail so. */
function databaseThatFails(error: Error) {
  const release = vi.fn();
  const query = vi.fn(async (text: string) => {
    if (text === "begin" || text === "rollback") return { command: text, rows: [] };
    throw error;
  });
  const pool = { options: {}, connect: async () => ({ query, release }) } as unknown as Pool;
  return { db: createDatabase<GatewayDatabase>(pool), query, release };
}

function refusedBy(code: string): DatabaseError {
  return Object.assign(new DatabaseError("refused", 0, "error"), { code });
}

const names = (db: Kysely<GatewayDatabase>) => db.selectFrom("merchant").select("name").execute();
const reading = (db: Kysely<GatewayDatabase>) => read(names(db));
const writing = (db: Kysely<GatewayDatabase>) => write(db, names);

describe.each([
  ["read", reading, DatabaseUnavailableError],
  ["write", writing, OutcomeUnknownError],
])("a %s on a connection that no longer answers", (_name, run, expected) => {
  test("says so, and the connection is not used again", async () => {
    const { db, query, release } = databaseThatFails(new Error("Query read timeout"));
    await expect(run(db)).rejects.toThrow(expected);
    expect(query.mock.lastCall?.[0]).toContain("select");
    expect(release.mock.calls).toEqual([[true]]);
  });
});

describe.each([
  ["read", reading],
  ["write", writing],
])("a %s that the server refuses", (_name, run) => {
  test.each(["57P01", "57014", "53300", "55P03"])("with %s is an outage: nothing was done", async (code) => {
    const { db, release } = databaseThatFails(refusedBy(code));
    await expect(run(db)).rejects.toThrow(DatabaseUnavailableError);
    expect(release.mock.calls).toEqual([[false]]);
  });

  test.each(["42P01", "23505", "22021"])("with %s is a bug", async (code) => {
    const error = refusedBy(code);
    await expect(run(databaseThatFails(error).db)).rejects.toBe(error);
  });
});

test("without a connection nothing was sent", async () => {
  const pool = { options: {}, connect: async () => Promise.reject(new Error("ECONNREFUSED")) };
  const db = createDatabase<GatewayDatabase>(pool as unknown as Pool);
  await expect(reading(db)).rejects.toThrow(DatabaseUnavailableError);
  await expect(writing(db)).rejects.toThrow(DatabaseUnavailableError);
});
