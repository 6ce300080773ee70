// The rings of payments, dispatcher and gateways stand wrapped under a key of a PKCS #11 device, and are replaced under load.
import { execFileSync, spawnSync } from "node:child_process";
import { renameSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSystemUnderTest, type SystemUnderTest } from "../chaos/system-under-test.ts";
import { holdfast } from "../support/index.ts";
import { BalancedGateways } from "./balanced-gateways.ts";
import { operatorOf, PATIENT, rollOutTo, startLoad } from "./rolling.ts";

const MODULE = "/usr/lib/softhsm/libsofthsm2.so";
const PIN = "493028";

let sut: SystemUnderTest;
let gateways: BalancedGateways;
const operatorAt = operatorOf(() => sut);
beforeAll(async () => {
  sut = await startSystemUnderTest(PATIENT);
  gateways = new BalancedGateways(sut.system.gateways);
});
afterAll(() => sut?.stop());

test("keys are added, used and removed in wrapped rings under load, and the device keeps its own key", async () => {
  const device = makeDevice(join(sut.system.dir, "softhsm"));
  const { secrets } = sut.system;
  const rollOut = (rings: Rings) => rollOutTo(sut.system, gateways, () => ({ ...device.env, ...rings }));
  const step = async (before: Rings, ...change: string[]): Promise<Rings> => {
    const after: Rings = {};
    for (const [name, ring] of Object.entries(before))
      after[name] = await wrapRing(device, name, ring, change);
    await rollOut(after);
    return after;
  };
  const wrapped = await step({
    CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
    THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
    CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
    WEBHOOK_SECRET_KEYS: `k1:${secrets.webhookSecretKey}`,
    ACCOUNT_SECRET_KEYS: `k1:${secrets.accountSecretKey}`,
    FILE_KEYS: `k1:${secrets.fileKey}`,
    PAN_FINGERPRINT_KEYS: `0:${secrets.panFingerprintKey}`,
  });
  const load = startLoad(sut, gateways, operatorAt);
  await load.ranFor(1);
  const added = await step(wrapped, "--add", "k2");
  await load.ranFor(1);
  const active = await step(added, "--first", "k2");
  // Without the device running processes continue, and a new start fails with the reason.
  device.takeAway();
  await load.ranFor(2);
  expect(await startWith({ ...device.env, FILE_KEYS: active["FILE_KEYS"]! })).toMatch(
    /^payments: the configuration is not valid:\n {2}KEY_PROVIDER: pkcs11:token=holdfast;id=%01 cannot be used: \S.*\n$/,
  );
  device.putBack();
  await load.pastRoundsOver();
  await rollOut({
    ...active,
    // No row and no open address needs the old key of these rings.
    CARD_SEALING_KEYS: await wrapRing(device, "CARD_SEALING_KEYS", active["CARD_SEALING_KEYS"]!, [
      "--remove",
      "k1",
    ]),
  });
  await load.ranFor(1);
  await load.stop();
  expect(load.refused).toEqual([]);
  expect(device.describeKey()).toContain("sensitive, always sensitive, never extractable, local");
  await sut.check();
});

type Rings = Record<string, string>;
type Device = ReturnType<typeof makeDevice>;

/** SoftHSM with a token and a key that it has made. */
function makeDevice(dir: string) {
  const tokens = join(dir, "tokens");
  mkdirSync(tokens, { recursive: true });
  const [conf, pinFile] = [join(dir, "softhsm2.conf"), join(dir, "pin")];
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  writeFileSync(pinFile, `${PIN}\n`);
  const env = { ...process.env, SOFTHSM2_CONF: conf };
  execFileSync(
    "softhsm2-util",
    ["--init-token", "--free", "--label", "holdfast", "--so-pin", "12345678", "--pin", PIN],
    { env },
  );
  const tool = (...args: string[]) =>
    execFileSync(
      "pkcs11-tool",
      ["--module", MODULE, "--token-label", "holdfast", "--login", "--pin", PIN, ...args],
      { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
  tool("--keygen", "--key-type", "AES:32", "--id", "01", "--label", "kek", "--sensitive", "--usage-decrypt");
  return {
    env: {
      SOFTHSM2_CONF: conf,
      KEY_PROVIDER: `pkcs11:token=holdfast;id=%01?module-path=${MODULE}&pin-source=file:${pinFile}`,
    },
    describeKey: () => tool("--list-objects", "--type", "secrkey"),
    takeAway: () => renameSync(tokens, `${tokens}-away`),
    putBack: () => renameSync(`${tokens}-away`, tokens),
  };
}

async function wrapRing(device: Device, name: string, ring: string, change: string[]): Promise<string> {
  const [node = "", ...program] = await holdfast("wrap-ring", name, ...change);
  return execFileSync(node, program, {
    env: { ...process.env, ...device.env },
    input: ring,
    encoding: "utf8",
  }).trim();
}

/** @returns the reason of a start of payments that fails. */
async function startWith(env: Record<string, string>): Promise<string> {
  const [node = "", ...program] = await holdfast("run", "payments");
  return spawnSync(node, program, { env: { PATH: process.env["PATH"], ...env }, encoding: "utf8" }).stderr;
}
