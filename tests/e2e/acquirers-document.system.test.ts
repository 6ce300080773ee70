// Runs the commands of docs/acquirers.md, "A first payment", unchanged; they lead a person from a bank's test
// account to a payment. The sandbox's simulators are the banks, and two people are required as in production.
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runNpmStart, type StartedByNpm } from "./run-npm-start.ts";
import { shopAtBank } from "./shop-at-bank.ts";

type Variables = Record<string, string>;
type Contracts = Record<"nestpay" | "iyzico", Variables>;

let started: StartedByNpm;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-document-"));
  started = await runNpmStart(["--banks", "nestpay,iyzico"], { ACCOUNT_CHANGES_TWO_PEOPLE: "true" });
  const curl = join(dir, "curl");
  const standIn = join(import.meta.dirname, "curl-stand-in.ts");
  await writeFile(curl, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`);
  await chmod(curl, 0o755);
});
afterAll(async () => {
  await started?.cleanUp();
  await rm(dir, { recursive: true, force: true });
});

const CARD = { CARD_MONTH: "12", CARD_YEAR: String((new Date().getUTCFullYear() + 2) % 100) };

test.each([
  {
    protocol: "nestpay",
    heading: "A Nestpay test terminal",
    own: (url: string, { nestpay }: Contracts) => ({
      API_URL: `${url}/fim/api`,
      GATE_URL: `${url}/fim/est3Dgate`,
      CLIENT_ID: nestpay["clientId"]!,
      API_USER: nestpay["name"]!,
      API_PASSWORD: nestpay["password"]!,
      STORE_KEY: nestpay["storeKey"]!,
      CARD: "4355084355084358",
      CARD_CVV: "000",
    }),
  },
  {
    protocol: "iyzico",
    heading: "An iyzico sandbox key",
    own: (url: string, { iyzico }: Contracts) => ({
      API_URL: url,
      BANK_KEY: iyzico["apiKey"]!,
      BANK_SECRET: iyzico["secretKey"]!,
      CARD: "5528790000000008",
      CARD_CVV: "123",
    }),
  },
])("$heading leads to a payment and its cancellation", async ({ protocol, heading, own }) => {
  const shop = shopAtBank(started.file, protocol);
  const [you, bank, account, merchant, payment] = await Promise.all(
    [
      "Who you are",
      heading,
      "The account, its confirmation and its probe",
      "A merchant whose payments go there",
      "The payment, and its cancellation",
    ].map(commandsUnder),
  );
  const { file, home } = started;
  const people = {
    GATEWAY_URL: file.gatewayUrl,
    OPERATOR_URL: file.operatorUrl,
    TOKEN: file.operators[0]!.token,
    SECOND_TOKEN: file.operators[1]!.token,
  };
  const secrets = JSON.parse(await readFile(join(home, "secrets.json"), "utf8"));
  const given = { ...own(shop.bank.url, secrets.bankContracts), ...CARD };
  expect(variablesIn(you![0]!)).toEqual(Object.keys(people).toSorted());
  expect(variablesIn(bank![0]!)).toEqual(Object.keys(given).toSorted());
  const said = await shell(
    [you![1]!, bank![1]!, ...account!, ...merchant!, ...payment!, 'printf "\\n%s" "$PAYMENT_ID"'],
    { ...people, ...given },
  );
  expect(said).toContain('"result":"ok"');
  expect(said).toContain('"state":"ACTIVE"');
  expect(said).toMatch(/"status":"SUCCESS"[^]*"status":"CANCELLED"/);
  const paymentId = said.split("\n").at(-1)!;
  expect(await shop.book(paymentId)).toEqual(["sale 100", "void 100"]);
});

/** The shell blocks under a heading of the section. */
async function commandsUnder(heading: string): Promise<string[]> {
  const path = resolve(import.meta.dirname, "..", "..", "docs", "acquirers.md");
  const [, section = ""] = (await readFile(path, "utf8")).split("\n## A first payment\n");
  const part = section
    .split(/\n## /)[0]!
    .split(/\n### /)
    .find((text) => text.startsWith(`${heading}\n`));
  return [...(part ?? "").matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
}

/** The variables that a block sets; readers put in values of their own. */
function variablesIn(block: string): string[] {
  return [...block.matchAll(/(?<=[ ])([A-Z_]+)=/g)].map(([, name]) => name!).toSorted();
}

/** Runs commands in an empty directory. The first failing command ends it. */
async function shell(blocks: string[], variables: Variables): Promise<string> {
  const cwd = await mkdtemp(join(dir, "run-"));
  const PATH = [dirname(process.execPath), process.env["PATH"], dir].join(delimiter);
  const script = ["set -eu", ...blocks].join("\n");
  const { stdout } = await promisify(execFile)("sh", ["-c", script], {
    cwd,
    env: { ...process.env, ...variables, PATH },
  });
  return stdout;
}
