import { connect, createServer } from "node:net";
import { freePort, withClient } from "@holdfast/sandbox/infrastructure";
import { parseConfig } from "@holdfast/service-runtime";
import { createTestDatabase } from "@holdfast/tests/support";
import { expect, inject, onTestFinished, test } from "vitest";
import { configSchema } from "./config.ts";
import { AUDITOR } from "./database/auditor.ts";
import { install } from "./install.ts";
import { roleNames } from "./database/provision-database.ts";

const passwords = Object.fromEntries(roleNames.map((role) => [`${role.toUpperCase()}_PASSWORD`, role]));

/** The server's other tests sign in as the auditor. */
const auditor = { HOLDFAST_AUDITOR_PASSWORD: AUDITOR };

/** The database exists already, as on every start but the first. */
async function settings(change: Record<string, string> = {}) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const env = {
    ...passwords,
    ...auditor,
    DATABASE_ADMIN_URL: database.superuserUrl,
    DATABASE_NAME: database.name,
    NATS_URL: inject("holdfast").natsUrl,
    // The servers of a test run may be containers, or of another machine.
    ALLOW_PLAINTEXT: "postgres,nats",
    ...change,
  };
  return { database, config: parseConfig(configSchema, env) };
}

test("it may be repeated at every start, and leaves what is there", async () => {
  const { database, config } = await settings();
  const count = (table: string) =>
    withClient(
      database.superuserUrl,
      async (client) => (await client.query(`select from ${table}`)).rowCount,
    );
  const before = await count("payments.migration");
  await install(config);
  await install(config);
  expect(await count("payments.migration")).toBe(before);
});

test("a new installation has no merchant, no key, no webhook endpoint and no account at a bank", async () => {
  const { database, config } = await settings();
  await install(config);
  const tables = ["gateway.merchant", "gateway.credential", "webhooks.endpoint", "payments.acquirer_account"];
  await withClient(database.superuserUrl, async (client) => {
    for (const table of tables) expect((await client.query(`select from ${table}`)).rowCount, table).toBe(0);
  });
});

test("it gives second logins the passwords that are there, and lets nobody in with the others", async () => {
  const { database, config } = await settings({ REFUNDS_APP_2_PASSWORD: "of the second" });
  await install(config);
  const logins = await withClient(database.superuserUrl, async (client) => {
    const text = "select rolname from pg_roles where rolname like '%\\_2' and rolcanlogin";
    return (await client.query<{ rolname: string }>(text)).rows.map(({ rolname }) => rolname);
  });
  expect(logins).toEqual(["refunds_app_2"]);
});

test("it waits for a PostgreSQL that does not listen yet", async () => {
  const { database, config } = await settings();
  const url = new URL(database.superuserUrl);
  const there = { host: url.hostname, port: Number(url.port) };
  url.host = `127.0.0.1:${await freePort()}`;
  const installing = install({ ...config, DATABASE_ADMIN_URL: url.href });
  const late = createServer((socket) => {
    const server = connect(there);
    socket.on("error", () => server.destroy()).pipe(server);
    server.on("error", () => socket.destroy()).pipe(socket);
  });
  onTestFinished(() => void late.close());
  late.listen(Number(url.port), "127.0.0.1");
  await expect(installing).resolves.toBeUndefined();
});

test("a bus that does not greet, or has no JetStream, ends it in time", async () => {
  const greetings = ['INFO {"jetstream":false}\r\n', "HTTP/1.1 400 Bad Request\r\n\r\n", ""];
  for (const greeting of greetings) {
    const bus = createServer((socket) => socket.on("error", () => undefined).end(greeting));
    await new Promise<void>((resolve) => bus.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void bus.close());
    const { port } = bus.address() as { port: number };
    const { config } = await settings({
      NATS_URL: `nats://127.0.0.1:${port}`,
      INSTALLATION_TIMEOUT: "300ms",
    });
    await expect(install(config)).rejects.toMatchObject({
      code: "not_installed",
      message: "NATS with JetStream did not answer in time",
    });
  }
});

test("a password that PostgreSQL refuses is told at once, not waited for", async () => {
  const { database, config } = await settings({ INSTALLATION_TIMEOUT: "1h" });
  const url = new URL(database.superuserUrl);
  url.password = "wrong";
  await expect(install({ ...config, DATABASE_ADMIN_URL: url.href })).rejects.toMatchObject({ code: "28P01" });
});

test("every setting at fault is named at once, without its value", () => {
  const env = { ...passwords, REFUNDS_APP_PASSWORD: "", DATABASE_ADMIN_URL: "mysql://root:hush@db" };
  const fault = () => parseConfig(configSchema, env);
  expect(fault).toThrow(/REFUNDS_APP_PASSWORD is missing[^]*DATABASE_ADMIN_URL[^]*NATS_URL is missing/);
  expect(fault).not.toThrow(/hush/);
});
