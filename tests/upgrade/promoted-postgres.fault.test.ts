// Two payments a second while PostgreSQL's primary dies and its standby is promoted behind the same name, as CloudNativePG
// does it. It prints how long payments are refused.
import { appendFileSync, chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceDefinitions, type ServiceDefinition } from "@holdfast/sandbox";
import { startPostgres, withClient } from "@holdfast/sandbox/infrastructure";
import { expect, onTestFinished, test } from "vitest";
import { payThroughOutages } from "../containers/pay-through-outages.ts";
import { receiveWebhooks, startProduct, type RunningSandbox } from "../e2e/running-sandbox.ts";
import { eventually, startTestLink, type TestLink } from "../support/index.ts";

const BACK_WITHIN_MS = 60_000;

test("the promotion of a standby under load loses and doubles no payment", { timeout: 600_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-promoted-"));
  chmodSync(dir, 0o711);
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const link = await layOutPair(dir);
  onTestFinished(() => link.close());
  const sandbox = await startProduct({
    home: join(dir, "home"),
    services: behind(link),
    // The production value: the longer wait of tests would hide refused requests.
    settings: { DATABASE_CONNECTION_TIMEOUT: "1s" },
  });
  onTestFinished(() => sandbox.stop());
  const standby = await startStandby(dir, sandbox.file.databaseUrl);
  const receiver = await receiveWebhooks(sandbox);

  const merchant = sandbox.merchant();
  const payments = payThroughOutages(merchant, BACK_WITHIN_MS);
  await payments.step("nothing", async () => {});
  const promote = async () => {
    // The old primary is unreachable from now on, although the sandbox starts it again.
    link.cut();
    process.kill(sandbox.file.processes["postgres"]!, "SIGKILL");
    await withClient(standby, (client) => client.query("select pg_promote()"));
    link.moveTo(standby);
    link.mend();
  };
  await payments.step("PostgreSQL promoted", promote);
  const paid = (await payments.stop()).map(({ paymentId }) => paymentId);
  process.stdout.write(payments.table());

  const told = () =>
    new Set(
      receiver.ledger
        .map(({ body }) => JSON.parse(body.toString()) as Record<string, string>)
        .filter(({ status }) => status === "SUCCESS")
        .map(({ paymentId }) => paymentId),
    );
  await eventually(() => expect(paid.filter((id) => !told().has(id))).toEqual([]));
  for (const id of paid)
    expect(await merchant("GET", `/api/payment/${id}`)).toMatchObject({ body: { status: "SUCCESS" } });
  expect(await approvedAtBank(sandbox)).toEqual(paid.map((id) => `sale ${id}`).toSorted());
});

/** A primary that has never run otherwise, and its copy, which becomes the standby. @returns the name of both */
async function layOutPair(dir: string): Promise<TestLink> {
  const home = join(dir, "home");
  mkdirSync(home, { mode: 0o711 });
  const first = await startPostgres({
    dataDir: join(home, "postgres"),
    logFile: join(home, "postgres.log"),
    durable: true,
  });
  await withClient(first.superuserUrl("postgres"), (client) =>
    client.query("select pg_create_physical_replication_slot('standby', immediately_reserve => true)"),
  );
  await first.stop();
  // A copy of a server that was stopped is a whole one.
  for (const suffix of ["", ".password"])
    cpSync(join(home, `postgres${suffix}`), join(dir, `standby${suffix}`), { recursive: true });
  return await startTestLink(first.superuserUrl("postgres"));
}

/** The services, each of which finds the database by way of the link. */
function behind(link: TestLink): ServiceDefinition[] {
  return serviceDefinitions.map((service): ServiceDefinition => ({
    ...service,
    databaseUrl: (urls) => {
      const url = new URL(service.databaseUrl(urls));
      link.moveTo(url.href);
      const { hostname, port } = new URL(link.url);
      [url.hostname, url.port] = [hostname, port];
      return url.href;
    },
  }));
}

/** Has the copy follow the primary, which from then on acknowledges nothing that the copy does not have. @returns its URL */
async function startStandby(dir: string, primaryUrl: string): Promise<string> {
  const { username, password, port } = new URL(primaryUrl);
  const dataDir = join(dir, "standby");
  appendFileSync(
    join(dataDir, "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${decodeURIComponent(password)}'\nprimary_slot_name = 'standby'\n`,
  );
  writeFileSync(join(dataDir, "standby.signal"), "");
  const standby = await startPostgres({ dataDir, logFile: join(dir, "standby.log"), durable: true });
  onTestFinished(() => standby.stop());
  await withClient(primaryUrl, async (client) => {
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query("select pg_reload_conf()");
    await eventually(async () => {
      const { rows } = await client.query<{ sync_state: string }>(
        "select sync_state from pg_stat_replication",
      );
      expect(rows).toEqual([{ sync_state: "sync" }]);
    });
  });
  return standby.superuserUrl("postgres");
}

/** The bank's approvals, such as `sale 0199…`. */
async function approvedAtBank({ file }: RunningSandbox): Promise<string[]> {
  const text = await (await fetch(`${file.acquirerUrl}/ledger`)).text();
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { operation: string; reference: string; outcome: string })
    .filter(({ outcome }) => outcome === "approved")
    .map(({ operation, reference }) => `${operation} ${reference}`)
    .toSorted();
}
