import { randomBytes } from "node:crypto";
import { grantConnect, schemaUrls, withClient, type SchemaUrls } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { inject } from "vitest";
import type { ProvidedInfrastructure } from "./template-database.ts";

/** A migrated database of a test's own. */
export type TestDatabase = {
  name: string;
  superuserUrl: string;
  /** Per schema, as its owner and as the role the service runs under. */
  urls: SchemaUrls;
  /** Closes all its sessions and removes it. Without it the database goes with the test run. */
  drop(): Promise<void>;
};

/** Clones the template database; needs `tests/support/global-setup.ts` in the vitest configuration. */
export async function createTestDatabase(
  { superuserUrl, passwords, templateDatabase }: ProvidedInfrastructure = inject("holdfast"),
): Promise<TestDatabase> {
  const name = `${templateDatabase}_${randomBytes(6).toString("hex")}`;
  await withClient(superuserUrl, async (client) => {
    // Copying files is faster than replaying writes, since durability is off and the template is small.
    await client.query(`create database ${name} template ${templateDatabase} strategy file_copy`);
    await grantConnect(client, name);
  });
  const url = new URL(superuserUrl);
  url.pathname = `/${name}`;
  return {
    name,
    superuserUrl: url.href,
    urls: schemaUrls({ superuserUrl, database: name, passwords }),
    drop: () =>
      withClient(superuserUrl, async (client) => {
        await untilLeft(client, name);
        await client.query(`drop database ${name} with (force)`);
      }),
  };
}

/**
 * A pool that was ended has not yet closed its sockets, and ending its sessions by force then is an error without a
 * handler. Sessions open for longer are left on purpose.
 */
async function untilLeft(client: Client, database: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const { rowCount } = await client.query(
      "select from pg_stat_activity where datname = $1 and backend_type = 'client backend' limit 1",
      [database],
    );
    if (rowCount === 0) return;
    await client.query("select pg_sleep(0.02)");
  }
}

const LOOKS = 50;
