import { DatabaseUnavailableError } from "@holdfast/service-runtime";
import { DatabaseError, type Pool } from "pg";
import { describe, expect, test, vi } from "vitest";
import { OutcomeUnknownError, read, write } from "./database.ts";

/** A pool of one connection, on which statements fail so. */
function poolThatFails(error: Error) {
  const release = vi.fn();
  const query = async () => {
    throw error;
  };
  return { pool: { connect: async () => ({ query, release }) } as unknown as Pool, release };
}

function refusedBy(code: string): DatabaseError {
  return Object.assign(new DatabaseError("refused", 0, "error"), { code });
}

describe.each([
  ["read", read, DatabaseUnavailableError],
  ["write", write, OutcomeUnknownError],
])("a %s on a connection that no longer answers", (_name, run, expected) => {
  test("says so, and the connection is not used again", async () => {
    const { pool, release } = poolThatFails(new Error("Query read timeout"));
    await expect(run(pool, { text: "select 1" })).rejects.toThrow(expected);
    expect(release.mock.calls).toEqual([[true]]);
  });
});

describe.each([
  ["read", read],
  ["write", write],
])("a %s that the server refuses", (_name, run) => {
  test.each(["57P01", "57014", "53300", "55P03"])("with %s is an outage: nothing was done", async (code) => {
    const { pool, release } = poolThatFails(refusedBy(code));
    await expect(run(pool, { text: "select 1" })).rejects.toThrow(DatabaseUnavailableError);
    expect(release.mock.calls).toEqual([[false]]);
  });

  test.each(["42P01", "23505", "22021"])("with %s is a bug", async (code) => {
    const error = refusedBy(code);
    await expect(run(poolThatFails(error).pool, { text: "select 1" })).rejects.toBe(error);
  });
});
