// Replaces PostgreSQL's certificate while merchants, buyers and operators continue: nothing is refused.
import { chownSync, copyFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { localCertificates, withClient } from "@holdfast/sandbox/infrastructure";
import { readPeerCertificate } from "@holdfast/service-runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ServiceProcess } from "../chaos/system/service-process.ts";
import { startSystemUnderTest, type SystemUnderTest } from "../chaos/system-under-test.ts";
import { eventually } from "../support/index.ts";
import { BalancedGateways } from "./balanced-gateways.ts";
import { operatorOf, PATIENT, rollOutTo, startLoad } from "./rolling.ts";

let sut: SystemUnderTest;
let gateways: BalancedGateways;
const operatorAt = operatorOf(() => sut);

beforeAll(async () => {
  sut = await startSystemUnderTest(PATIENT);
  gateways = new BalancedGateways(sut.system.gateways);
});
afterAll(() => sut?.stop());

test("PostgreSQL's certificate is replaced under load, and processes that check it connect by the new one", async () => {
  const certificates = join(sut.system.dir, "database-certificates");
  const { caFile, certFile } = await serve(certificates);
  const checked = ({ databaseUrl }: ServiceProcess) => {
    const url = new URL(databaseUrl);
    url.searchParams.set("sslmode", "verify-full");
    url.searchParams.set("sslrootcert", caFile);
    return { DATABASE_URL: url.href };
  };
  await rollOutTo(sut.system, gateways, checked);
  expect(await unencrypted()).toBe(0);
  const before = await servedSerial();

  const load = startLoad(sut, gateways, operatorAt);
  await load.ranFor(1);
  rmSync(certFile);
  await serve(certificates);
  await eventually(async () => expect(await servedSerial()).not.toBe(before));
  await load.ranFor(1);
  // New connections check the new certificate.
  await rollOutTo(sut.system, gateways, checked);
  await load.ranFor(1);
  await load.stop();
  expect(load.refused).toEqual([]);
  expect(await unencrypted()).toBe(0);
  await sut.check();
});

/** Signs a certificate if there is none, and makes PostgreSQL use it like a renewed secret. */
async function serve(dir: string) {
  const { caFile, certFile, keyFile } = await localCertificates(dir);
  const data = join(sut.system.dir, "postgres");
  const { uid, gid } = statSync(data);
  for (const [from, name] of [
    [certFile, "server.crt"],
    [keyFile, "server.key"],
  ] as const) {
    const to = join(data, name);
    copyFileSync(from, to);
    chownSync(to, uid, gid);
  }
  await withClient(sut.system.superuserUrl, async (client) => {
    await client.query("alter system set ssl = on");
    await client.query("select pg_reload_conf()");
  });
  await eventually(async () => expect(await servedSerial()).toMatch(/^[0-9A-F]+$/));
  return { caFile, certFile };
}

async function servedSerial(): Promise<string> {
  const port = Number(new URL(sut.system.superuserUrl).port);
  return (await readPeerCertificate({ host: "127.0.0.1", port, preamble: "postgres" })).serialNumber;
}

/** Connections of the services that are not encrypted. */
async function unencrypted(): Promise<number> {
  return await withClient(sut.system.superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from pg_stat_ssl join pg_stat_activity using (pid)
       where not ssl and usename <> 'postgres' and backend_type = 'client backend'`,
    );
    return Number(rows[0]!.count);
  });
}
