import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { expect, onTestFinished, test } from "vitest";
import { holdfast, wrapRing } from "../support/index.ts";
import { preAuthorization, runSandbox } from "./running-sandbox.ts";

const CARD = "4539578763621486";

test("evidence of a running product has every part, finds a card number that somebody stored, and writes no secret", async () => {
  const sandbox = await runSandbox();
  const out = await mkdtemp(join(tmpdir(), "holdfast-evidence-"));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const wrapped = await withWrappedRing(sandbox.file.processes["payments"]!, out);
  const collect = async () => {
    const given = ["--home", sandbox.home, "--environment", `payments=${wrapped}`, "--out", out];
    const [node = "", ...program] = await holdfast("evidence", ...given);
    const child = spawn(node, program, { env: { PATH: process.env["PATH"] } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output += String(chunk)));
    const [code] = (await once(child, "close")) as [number];
    return { code, output, evidence: JSON.parse(await readFile(join(out, "evidence.json"), "utf8")) };
  };

  const paid = await sandbox.merchant()("POST", "/api/pre-authorization", preAuthorization({ pan: CARD }));
  expect(paid.status).toBe(201);
  const clean = await collect();
  expect(clean.output).toMatch(/\n\d+ settings weaken a measure, .*\n3 findings; /);
  expect(clean.output).toContain("the audit log was not compared with heads that were kept");
  expect(clean.code).toBe(1);
  const { evidence } = clean;
  expect(evidence.installation).toMatchObject({ isSandbox: true });
  expect(evidence.versions).toMatchObject({
    postgresql: expect.stringMatching(/^\d+/),
    nats: expect.stringMatching(/^\d+/),
  });
  expect(evidence.audit).toMatchObject({
    intact: true,
    lines: expect.arrayContaining(["5 intact, 0 broken"]),
    request: expect.stringContaining('"msg":"request"'),
  });
  expect(evidence.audit.samples).toContainEqual(
    expect.objectContaining({
      log: "payments",
      newest: expect.objectContaining({ actor: expect.any(String) }),
    }),
  );
  expect(evidence.access.credentials.list).toContainEqual(expect.objectContaining({ mode: "test" }));
  expect(evidence.access.databaseRoles).toContainEqual(
    expect.objectContaining({ role: "payments_app", password: "SCRAM-SHA-256" }),
  );
  expect(evidence.access.busUsers).toMatchObject({
    refunds: { subscribe: expect.arrayContaining(["refunds.request"]) },
  });
  expect(evidence.cardNumbers.database.tables.length).toBeGreaterThan(50);
  expect(evidence.cardNumbers.database.withoutTexts).toContain("payments.rule_attempt");
  expect(evidence.cardNumbers.files.files.length).toBeGreaterThan(5);
  expect(evidence.access.operatorRoles.approver).toContain("approveRefund");
  expect(evidence.access.databaseRoles.map(({ role }: { role: string }) => role)).toContain("payments_app");
  expect(evidence.keys.filter(({ process }: { process: string }) => process === "payments")).toEqual(
    ["in clear", "wrapped by a key in a file"].map((given) =>
      expect.objectContaining({
        rings: expect.objectContaining({
          CARD_SEALING_KEYS: expect.objectContaining({ ids: ["k1"], bits: 256, given }),
        }),
      }),
    ),
  );
  expect(evidence.retention.map(({ process }: { process: string }) => process)).toContain("refunds");
  expect(evidence.settings).toContainEqual(
    expect.objectContaining({
      process: "gateway-operator",
      weakening: expect.arrayContaining(["OPERATOR_TOKEN_AGE_MAX: a token is valid for longer than an hour"]),
    }),
  );
  expect(JSON.stringify(evidence)).not.toContain("could not be read");
  expect(JSON.stringify(evidence.settings)).toContain('"FAILED_SIGN_INS_PER_MINUTE_PER_IP":"60"');
  const summary = await readFile(join(out, "summary.md"), "utf8");
  expect(summary).toContain("given in clear; k1 (age not known); k1 is used for new work");
  expect(JSON.parse(await readFile(join(out, "sbom.cdx.json"), "utf8"))).toMatchObject({
    bomFormat: "CycloneDX",
  });
  const secrets = Object.values(
    JSON.parse(await readFile(join(sandbox.home, "secrets.json"), "utf8")) as Record<string, unknown>,
  ).filter((secret) => typeof secret === "string" && secret.length > 20);
  expect(secrets.length).toBeGreaterThan(5);
  for (const secret of secrets) expect(JSON.stringify(evidence) + summary).not.toContain(secret);

  await withClient(sandbox.file.databaseUrl, (client) =>
    client.query("update payments.payment set card_holder_name = $1", [`card ${CARD}`]),
  );
  await writeFile(join(sandbox.file.logs, "forgotten.log"), `a line about ${CARD}\n`);
  const found = await collect();
  expect(found.output).toMatch(/\n[5-9]\d* findings; /);
  expect(found.output).toContain(`a card number that ends with 1486 in payments.payment card_holder_name`);
  expect(found.output).toContain("forgotten.log");
  expect(found.output).not.toContain(CARD);
});

/** @returns a file of a process's environment in which a ring is wrapped. */
async function withWrappedRing(pid: number, dir: string): Promise<string> {
  const [keyFile, file] = [join(dir, "kek"), join(dir, "environment")];
  await writeFile(keyFile, randomBytes(32).toString("base64"));
  const KEY_PROVIDER = `file:${keyFile}`;
  const environment = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
  const [, ring = ""] = environment.find((line) => line.startsWith("CARD_SEALING_KEYS="))!.split("S=");
  const wrapped = await wrapRing("CARD_SEALING_KEYS", ring, { KEY_PROVIDER });
  const changed = [`KEY_PROVIDER=${KEY_PROVIDER}`, `CARD_SEALING_KEYS=${wrapped}`];
  const others = environment.filter((line) => !line.startsWith("CARD_SEALING_KEYS="));
  await writeFile(file, [...others, ...changed].join("\0"));
  return file;
}
