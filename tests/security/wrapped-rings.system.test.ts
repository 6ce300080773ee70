import { spawnSync } from "node:child_process";
import { operations } from "@holdfast/contracts";
import { keysCommand } from "@holdfast/postgres";
import { expect, onTestFinished, test } from "vitest";
import { paymentsKeys } from "../../services/payments/src/keys.ts";
import { bareEnvironment, holdfast, startKeyService, startTestSystem, wrapRing } from "../support/index.ts";

const RINGS = ["CARD_SEALING_KEYS", "PAN_FINGERPRINT_KEYS", "FILE_KEYS"] as const;

test("payments opens its rings at its start, and works on without the key service until it starts again", async () => {
  const keyService = await startKeyService();
  onTestFinished(() => keyService.close());
  const system = await startTestSystem({ services: ["payments"], running: [] });
  onTestFinished(() => system.close());
  const plain = system.environment("payments");
  const env: Record<string, string> = { KEY_PROVIDER: keyService.keyUrl };
  for (const ring of RINGS) env[ring] = await wrapRing(ring, plain[ring], env);

  await system.spawn("payments", env);
  expect(keyService.calls.filter(({ url }) => url?.endsWith(":decrypt"))).toHaveLength(RINGS.length);
  let printed = "";
  expect(await keysCommand(paymentsKeys, ["status"], { ...plain, ...env }, (text) => (printed += text))).toBe(
    0,
  );
  expect(printed).toMatch(/^CARD_SEALING_KEYS\n {2}k1 +active/m);
  await keyService.close();
  const answer = await system.call(operations.preAuthorize.command, system.command());
  expect(answer).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });

  const away = await start({ ...plain, ...env });
  expect(away).toMatchObject({ status: 1, stdout: "" });
  expect(away.stderr).toContain(`KEY_PROVIDER: ${keyService.keyUrl} cannot be used: connect ECONNREFUSED`);
  for (const ring of RINGS) expect(away.stderr).not.toContain(env[ring]!.slice(-20));
});

/** A start of payments that ends by itself. */
async function start(env: Record<string, string>) {
  const [node = "", ...program] = await holdfast("run", "payments");
  return spawnSync(node, program, { env: { ...bareEnvironment(), ...env }, encoding: "utf8" });
}
