// The program as a person runs it, as a process of its own, against every simulator.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFromEnvironment } from "@holdfast/bank-simulator";
import {
  bankEnvironment,
  bankProtocols,
  banks,
  drawBankContracts,
  merchantsAt,
} from "@holdfast/sandbox/banks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UsageError } from "@holdfast/service-runtime/command-line";
import { readAccountFile } from "./account-file.ts";
import { createMask } from "./mask.ts";
import { PROTOCOLS } from "./protocols.ts";
import { requireTestHost } from "./require-test-host.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const contracts = drawBankContracts();
// Characters that XML and a hash have to escape.
Object.assign(contracts.nestpay, { password: "s3cret<pass&1", storeKey: "TEST|KEY1234" });
const CARD = { pan: "4355084355084358", expiryMonth: "12", expiryYear: "30", cvv: "739" };

type Bank = { url: string; close(): Promise<void> };
let dir: string;
const started = new Map<string, Bank>();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "bank-check-"));
  // A clock that stands still: no business day ends while the tests run, and a bank takes the times of our requests.
  const startedAt = Date.now();
  const machineNow = () => startedAt;
  for (const name of bankProtocols) {
    const own = { LEDGER_FILE: join(dir, `${name}.ndjson`), PORT: "0", ...merchantsAt(name, contracts) };
    started.set(name, await startFromEnvironment(name, bankEnvironment(name, own), { machineNow }));
  }
});
afterAll(async () => {
  for (const bank of started.values()) await bank.close();
  await rm(dir, { recursive: true });
});

/** The settings that wait for a day's end have a walk wait, too: at Nestpay a part is then left for the next day. */
function accountAt(protocol: (typeof bankProtocols)[number]) {
  const { settings, secrets } = banks[protocol].account(started.get(protocol)!.url, contracts);
  const { creditBeforeDayEnd: _, ...others } = settings;
  return { settings: others, secrets };
}

async function run(account: object, ...more: string[]) {
  const file = join(dir, "account.json");
  await writeFile(file, JSON.stringify({ currencies: ["TRY"], testCard: CARD, ...account }));
  return await new Promise<{ code: number | string; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [MAIN, "--account", file, ...more],
      { maxBuffer: 10_000_000 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe.each(bankProtocols)("at %s", (protocol) => {
  test("it walks through every operation, answers the open questions and shows no credential and no card", async () => {
    const { code, stdout, stderr } = await run({ protocol, ...accountAt(protocol) });
    expect([code, stderr]).toEqual([0, ""]);
    const headings = [...stdout.matchAll(/^## (\w+): (\w+)/gm)].map(([, name, kind]) => `${name} ${kind}`);
    expect(headings).toEqual(
      expect.arrayContaining([
        "wrong_password credentials",
        "inquiry_of_unseen not_found",
        "reversal_of_unseen nothing_found",
        "pre_authorization approved",
        "capture_of_a_part approved",
        "sale approved",
        "cancel_of_a_sale approved",
        "three_ds_enrolment challenge",
      ]),
    );
    // Nothing valid is left: everything was reversed, or needs the next day.
    expect(headings.filter((line) => line.startsWith("reversal_of_what_is_left"))).toHaveLength(3);
    const questions = [...stdout.matchAll(/^- (.+\?)\n {2}(.+)$/gm)];
    expect(questions).toHaveLength(PROTOCOLS[protocol].questions.length);
    expect(questions.filter(([, , answer]) => answer?.includes("did not get there"))).toEqual([]);
    for (const secret of Object.values(accountAt(protocol).secrets)) {
      const xml = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      for (const form of [secret, encodeURIComponent(secret), xml]) {
        expect(stdout).not.toContain(form);
      }
    }
    expect(stdout).not.toContain(CARD.pan);
    // A number of three digits occurs elsewhere, too.
    expect(stdout).not.toMatch(/cv[cv]?2?(?:val)?(?:>|"\s*:\s*"?|=)739/i);
    expect(stdout).toMatch(/cv[cv]?2?(?:val)?(?:>|"\s*:\s*"?)\[hidden\]/i);
    expect(stdout).toContain("435508******4358");
  });
});

test("a bank that does something else is told, and ends it with 1", async () => {
  await fetch(`${started.get("nestpay")!.url}/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ operation: "capture", behaviour: "decline", times: 1 }),
  });
  const { code, stderr } = await run({ protocol: "nestpay", ...accountAt("nestpay") });
  expect([code, stderr]).toEqual([1, expect.stringContaining("unexpected: capture_of_a_part is declined")]);
});

test("nothing is sent to a host that is not known as one for tests, unless it is named", async () => {
  const live = { settings: { apiUrl: "https://sanalpos.bank.example/fim/api" } };
  expect(() => requireTestHost(live)).toThrow(/--allow-host sanalpos\.bank\.example/);
  expect(() => requireTestHost(live, ["sanalpos.bank.example"])).not.toThrow();
  expect(() => requireTestHost({ settings: { url: "https://sandbox-api.iyzipay.com" } })).not.toThrow();
  expect(() => requireTestHost({ settings: { url: "https://api.iyzipay.com" } })).toThrow(/test host/);
  const plain = { settings: { url: "http://sandbox-api.iyzipay.com" } };
  expect(() => requireTestHost(plain)).toThrow(/must be https/);

  const { settings, secrets } = accountAt("nestpay");
  const elsewhere = { ...settings, apiUrl: "https://sanalpos.bank.example/fim/api" };
  const { code, stdout, stderr } = await run({ protocol: "nestpay", settings: elsewhere, secrets });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("not known as a test host");
});

test("a file with faults names them, and no credential", async () => {
  const { settings, secrets } = accountAt("nestpay");
  const file = join(dir, "faulty.json");
  const faulty = { protocol: "nestpay", settings: { ...settings, clientId: "x" }, secrets };
  await writeFile(file, JSON.stringify({ currencies: ["TRY"], testCard: CARD, ...faulty }));
  const error = await readAccountFile(file).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message).toContain("settings.clientId: must be 1 to 15 digits");
  expect((error as Error).message).not.toContain(contracts.nestpay.password);
});

test("what stands for a card, and its security code, is hidden in every form", () => {
  const mask = createMask({ secrets: { apiPassword: "pa ss" }, testCard: CARD });
  const xml = `<Password>pa ss</Password><Number>${CARD.pan}</Number><Cvv2Val>739</Cvv2Val><Expires>12/30</Expires>`;
  const expected = "<Number>435508******4358</Number><Cvv2Val>[hidden]</Cvv2Val><Expires>[hidden]</Expires>";
  expect(mask(xml)).toBe(`<Password>[apiPassword]</Password>${expected}`);
  expect(mask(`DATA=${encodeURIComponent(xml)}`)).toBe(`DATA=<Password>[apiPassword]</Password>${expected}`);
  expect(mask(`pan=${CARD.pan}&cv2=739&md=435508%3AAA`)).toBe(
    "pan=435508******4358\ncv2=[hidden]\nmd=[hidden]",
  );
  expect(mask('{"cvc":"739","expireYear":"2030","price":1}')).toBe(
    '{"cvc":"[hidden]","expireYear":"[hidden]","price":1}',
  );
  expect(mask('{"cvv2":"739","expireDate":"1230","secureMd":"AB"}')).toBe(
    '{"cvv2":"[hidden]","expireDate":"[hidden]","secureMd":"[hidden]"}',
  );
  // Another card, with its spaces.
  expect(mask("4546 7112 3456 7894")).toBe("454671******7894");
});
