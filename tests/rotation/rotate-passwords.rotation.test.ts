// Passwords and certificates are replaced as docs/keys.md says, under load from everybody: nothing is refused.
import { randomBytes } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  appRoleNames,
  secondLoginOf,
  roleNames,
  type AppRoleName,
  type RolePasswords,
  type SecondLogin,
} from "@holdfast/installation";
import { BUS_USERS, busLoginsOf, STREAM_KEEPER } from "@holdfast/contracts";
import { BusRefusedError, connectBus, type BusOptions } from "@holdfast/messaging";
import { provisionDatabase, withClient } from "@holdfast/sandbox/infrastructure";
import { readPeerCertificate } from "@holdfast/service-runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DATABASE } from "../chaos/system/migrated-database.ts";
import type { ServiceProcess } from "../chaos/system/service-process.ts";
import { servicesOf } from "../chaos/system/system.ts";
import { startSystemUnderTest, type SystemUnderTest } from "../chaos/system-under-test.ts";
import type { Wires } from "../chaos/system/wires.ts";
import { eventually } from "../support/index.ts";
import { BalancedGateways } from "./balanced-gateways.ts";
import { operatorOf, PATIENT, rollOutTo, startLoad } from "./rolling.ts";

let sut: SystemUnderTest;
let wires: Wires;
let gateways: BalancedGateways;
const operatorAt = operatorOf(
  () => sut,
  () => wires.ca,
);

beforeAll(async () => {
  sut = await startSystemUnderTest(PATIENT, { secured: true });
  wires = sut.system.wires!;
  gateways = new BalancedGateways(sut.system.gateways);
  // Authorities that buyers' browsers trust.
  setDefaultCACertificates([...getCACertificates("default"), wires.ca]);
});
afterAll(() => sut?.stop());

test("passwords of the database and of the bus are replaced under load, and the old ones open nothing afterwards", async () => {
  const load = startLoad(sut, gateways, operatorAt);
  await load.ranFor(1);
  // 1. The unused logins get passwords.
  const seconds = Object.fromEntries(
    appRoleNames.map((role) => [secondLoginOf(role), newPassword()]),
  ) as Record<SecondLogin, string>;
  await install(firstPasswords(), seconds);
  // 2. The processes move to these logins, one after another.
  await rollOutTo(sut.system, gateways, (service) => secondLoginsOf(service, seconds));
  await load.ranFor(1);
  // 3. The passwords of the other logins are replaced.
  const [old] = sut.system.payments;
  const oldOfTheBus = wires.busOptions(old.user);
  await install(newPasswords(), seconds);
  wires.replaceBusPasswords(BUS_USERS.filter((user) => user !== STREAM_KEEPER));
  sut.system.nats.reload();
  await expect(withClient(old.databaseUrl, async () => undefined)).rejects.toMatchObject({ code: "28P01" });
  await eventually(async () => await isRefused(oldOfTheBus));
  await load.ranFor(2);
  await load.stop();
  expect(load.refused).toEqual([]);
  await sut.check();
});

test("certificates of listeners and of the bus are replaced under load", async () => {
  const before = await servedSerials();
  const load = startLoad(sut, gateways, operatorAt);
  await load.ranFor(1);
  await wires.renewCertificate();
  sut.system.nats.reload();
  await eventually(async () => {
    const now = await servedSerials();
    expect(now.filter((serial) => before.includes(serial))).toEqual([]);
    expect(new Set(now).size).toBe(1);
  });
  await load.ranFor(2);
  await load.stop();
  expect(load.refused).toEqual([]);
  await sut.check();
});

/** Sets the passwords as the installation does. */
async function install(
  passwords: RolePasswords,
  secondPasswords: Record<SecondLogin, string>,
): Promise<void> {
  await provisionDatabase({
    superuserUrl: sut.system.superuserUrl,
    database: DATABASE,
    passwords,
    secondPasswords,
  });
}

/** Passwords in use by the processes. No process is signed in as an owner. */
function firstPasswords(): RolePasswords {
  const inUse = servicesOf(sut.system).map(({ databaseUrl }) => {
    const { username, password } = new URL(databaseUrl);
    return [username, password] as const;
  });
  return { ...newPasswords(), ...(Object.fromEntries(inUse) as Record<AppRoleName, string>) };
}

function newPasswords(): RolePasswords {
  return Object.fromEntries(roleNames.map((role) => [role, newPassword()])) as RolePasswords;
}

function newPassword(): string {
  return randomBytes(12).toString("hex");
}

function secondLoginsOf(
  { databaseUrl, user }: ServiceProcess,
  passwords: Record<SecondLogin, string>,
): Record<string, string> {
  const url = new URL(databaseUrl);
  const login = secondLoginOf(url.username as AppRoleName);
  url.username = login;
  url.password = passwords[login];
  return { DATABASE_URL: url.href, ...wires.busEnv(busLoginsOf(user)[1]) };
}

/** True if the bus refuses these credentials. */
async function isRefused(login: Omit<BusOptions, "url" | "name">): Promise<boolean> {
  try {
    const url = `nats://127.0.0.1:${sut.system.nats.port}`;
    await (await connectBus({ url, name: "test", ...login })).close(500);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(BusRefusedError);
    return true;
  }
}

/** The serial numbers at every listener of the gateways, and at the bus. */
async function servedSerials(): Promise<string[]> {
  const { gateways: all, nats } = sut.system;
  const listeners = all.flatMap(({ merchantPort, operatorPort, publicUrl }) => [
    { port: merchantPort },
    { port: operatorPort },
    { port: Number(new URL(publicUrl).port) },
  ]);
  const servers = [...listeners, { port: nats.port, preamble: "nats" as const }];
  return await Promise.all(
    servers.map(async (server) => (await readPeerCertificate({ host: "127.0.0.1", ...server })).serialNumber),
  );
}
