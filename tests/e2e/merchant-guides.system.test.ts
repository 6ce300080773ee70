// Runs every block of code in docs/merchant, and the commands of the two documents beside it, unchanged
// against the whole product, so that a merchant's developer can type them. The reader fills in a block marked
// `values`, `terminal` runs in another terminal, and `browser` follows the buyer's steps.
import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ENDPOINTS } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually, startLedgerReceiver } from "../support/index.ts";
import { open, send } from "./follow-forms.ts";
import {
  allowEndpointChanges,
  makeRecords,
  readSamples,
  removeEndpoints,
  type ReferenceSample,
} from "./reference-samples.ts";
import { runNpmStart, type StartedByNpm } from "./run-npm-start.ts";
import { preAuthorization } from "./running-sandbox.ts";

const root = resolve(import.meta.dirname, "..", "..");
const guides = join(root, "docs", "merchant");

let started: StartedByNpm;
let dir: string;
let samples: ReferenceSample[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-guides-"));
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(join(root, "node_modules", "@holdfast"), join(dir, "node_modules", "@holdfast"));
  const curl = join(dir, "curl");
  writeFileSync(
    curl,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, "curl-stand-in.ts")}' "$@"\n`,
  );
  chmodSync(curl, 0o755);
  started = await runNpmStart([]);
  await allowEndpointChanges(started.file);
  samples = await readSamples(started.file);
});
afterAll(async () => {
  await started?.cleanUp();
  await rm(dir, { recursive: true, force: true });
});

/** Commands that readers run elsewhere: the product itself, its receiver, and npm in a project of theirs. */
const ELSEWHERE = [
  "npm install",
  "npm start",
  "npm run receiver -- --secret $WEBHOOK_SECRET",
  "npm run receiver -- --secret $WEBHOOK_SECRET --forward http://localhost:3000/webhooks",
  "npm run pack:client",
  "mkdir shop",
  "cd shop",
  "npm init -y",
  "npm install PATH-THAT-WAS-PRINTED",
];

const OUTPUT: Record<string, RegExp[]> = {
  "getting-started": [/"status":"SUCCESS"[^]*"status":"SUCCESS"/],
  "three-d-secure": [/^http/m, /"status":"SUCCESS"/, /redirect to http/],
  "hosted-checkout": [/^http/m, /"status":"OPEN"/, /redirect to http[^]*OPEN/],
  "payment-links": [
    /^http\S+\/checkout\/links\/\S+$/m,
    /^<svg/m,
    /"status":"ACTIVE"[^]*"status":"DISABLED"/,
    /print true[^]*now DISABLED[^]*lesson-2 DISABLED[^]*lesson-1 DISABLED/,
  ],
  installments: [
    /"installmentCounts":\[1,2,3/,
    /"installmentCount":3/,
    /"installmentCount":3,"installmentTotal":1250,"parts":\[416\.68,416\.66,416\.66\]/,
    /"installmentCount":3,"installmentTotal":1250,"currency":"TRY"/,
    /installments_not_allowed/,
  ],
  "generate-a-client": [],
  glossary: [],
  "test-mode": [/^SUCCESS, livemode false$/m, /"code":"payment_not_found"/, /^done false$/m],
  "capture-cancel-refund": [
    /"capturedAmount":80[^]*"status":"CAPTURED"/,
    /"status":"PENDING_APPROVAL"/,
    /"transactionType":"REFUND"/,
    /"status":"CANCELLED"/,
  ],
  webhooks: [],
  retries: [/one payment, two equal answers/, /replayed: true same: true/],
  "rules-and-lists": [/"items":\[/, /^#rows,\d+/m],
  errors: [/"code":"validation_failed"/],
  "test-cards": [/"status":"FAILED"/],
  client: [/^charged /m, /^6\.25$/m],
  "going-live": [/"items":\[[^]*"items":\[\]/],
  versions: [],
};

/** Guides whose blocks other tests execute, and the languages of these blocks. */
const EXECUTED_ELSEWHERE: Record<string, string[]> = {
  // `npm run test:php` runs the PHP. Nothing runs the C#, as the guide says.
  "php-and-dotnet": ["csharp", "php"],
  // tests/client/framework-recipes.system.test.ts runs these.
  frameworks: ["ts"],
};

test("every guide is executed, here or by the test that is named above", () => {
  const names = readdirSync(guides).map((file) => file.replace(/\.md$/, ""));
  expect(names.toSorted()).toEqual([...Object.keys(OUTPUT), ...Object.keys(EXECUTED_ELSEWHERE)].toSorted());
  for (const [name, expected] of Object.entries(EXECUTED_ELSEWHERE)) {
    const languages = openGuide(name).blocks.map(({ language }) => language);
    expect([...new Set(languages)].toSorted()).toEqual(expected);
  }
});

test.each(Object.entries(OUTPUT).filter(([name]) => name !== "webhooks"))(
  "%s: each step does what the guide says",
  async (name, expected) => {
    const guide = openGuide(name);
    for (const block of guide.blocks) await guide.step(block);
    for (const pattern of expected) expect(guide.output()).toMatch(pattern);
  },
);

test("webhooks: both ways of verifying accept what the gateway sends, and refuse what was changed", async () => {
  const { certFile, keyFile } = started.file.receiver;
  const receiver = await startLedgerReceiver({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  onTestFinished(() => receiver.close());
  const guide = openGuide("webhooks", { WEBHOOK_URL: receiver.url });
  for (const block of guide.blocks.filter(({ language }) => language === "sh")) await guide.step(block);
  const { WEBHOOK_SECRET: secret } = await guide.variables();
  const pay = openGuide("getting-started");
  for (const block of pay.blocks)
    await pay.step({ ...block, code: block.code.replaceAll("getting-started-1", "webhooks-1") });
  await eventually(() => receiver.ledger.length > 0);
  const { body, headers } = receiver.ledger[0]!;
  const [client, server, own] = guide.blocks.filter(({ language }) => language !== "sh");
  process.env["WEBHOOK_SECRET"] = secret;
  onTestFinished(() => void delete process.env["WEBHOOK_SECRET"]);
  const { receive } = await import(guide.save(client!, "webhook.mts"));
  const { isAuthentic } = await import(guide.save(own!));
  const changed = Buffer.concat([body, Buffer.from(" ")]);
  expect([await receive(body, headers), await receive(changed, headers)]).toEqual([200, 400]);
  expect([isAuthentic(body, headers, secret), isAuthentic(changed, headers, secret)]).toEqual([true, false]);
  const { send, sendHalf } = await startServer(guide.save(server!, "server.mts"));
  expect([await send(body, headers), await send(changed, headers)]).toEqual([200, 400]);
  await sendHalf();
  expect(await send(body, headers)).toBe(200);
});

/** The receiver, which readers run elsewhere; a command that needs a database's address is left out, too. */
const RECEIVER = "npm run receiver ";

test.each([
  {
    document: "operators",
    blocks: 8,
    // The sandbox has its account of test mode already, and the same refund is approved and then rejected.
    refusals: ["acquirer_account_exists", "refund_already_decided"],
    prints: [
      /"subject":"vera"/,
      /"name":"Book Shop"/,
      /"apiKey":"hk_test_/,
      /"events":\["payment.status_changed"\]/,
      /"state":"(?:EXECUTING|SETTLING|SUCCESS)"/,
      /"items":\[\]/,
      /"level":"debug"/,
    ],
  },
  { document: "staff", blocks: 1, refusals: [], prints: [/"items":\[/] },
])("the document $document: its commands do what it says", async ({ document, blocks, refusals, prints }) => {
  const text = readFileSync(join(root, "docs", `${document}.md`), "utf8");
  const commands = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code]) => code!);
  const run = commands
    .filter((code) => !code.startsWith("AUDIT_DATABASE_URL="))
    .map((code) => code.split("\n").filter((line) => !line.startsWith(RECEIVER)))
    .map((lines) => withAddresses(lines.join("\n")));
  expect(run).toHaveLength(blocks);
  const cwd = join(dir, document);
  mkdirSync(join(cwd, ".holdfast"), { recursive: true });
  writeFileSync(join(cwd, ".holdfast", "sandbox.json"), JSON.stringify(started.file));
  const { GATEWAY: URL, API_KEY: KEY, API_SECRET: SECRET, MERCHANT_ID, TOKEN } = valuesOfBanner();
  const REFUND_ID = await requestRefund(document);
  const PATH = [dir, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { stdout } = await promisify(execFile)("sh", ["-c", ["set -eu", ...run].join("\n")], {
    cwd,
    env: { ...process.env, URL, KEY, SECRET, MERCHANT_ID, TOKEN, REFUND_ID, PATH },
  });
  for (const pattern of prints) expect(stdout).toMatch(pattern);
  const problems = [...stdout.matchAll(/"type":"urn:holdfast:problem:(\w+)"/g)].map(([, code]) => code);
  expect(problems).toEqual(refusals);
});

const OPERATIONS = ENDPOINTS.filter(({ listener }) => listener === "merchant");

test.each(OPERATIONS)("the examples of $operationId are carried out", async ({ operationId }) => {
  const own = samples.filter((sample) => sample.operationId === operationId);
  expect(own.map(({ language }) => language)).toEqual(expect.arrayContaining(["sh", "php"]));
  // PHP is executed by `npm run test:php`.
  for (const sample of own.filter(({ language }) => language !== "php")) {
    const variables = await makeRecords(started.file, sample);
    const output = await runSample(sample, variables);
    await removeEndpoints(started.file);
    expect(output, sample.code).not.toContain("urn:holdfast:problem:");
    expect(output, sample.code).not.toMatch(/^(?:declined|unknown|not_started)$/m);
  }
});

/** @returns what it prints. */
async function runSample(
  { language, operationId, code }: ReferenceSample,
  variables: Record<string, string>,
): Promise<string> {
  const program = join(dir, `${operationId}.mts`);
  writeFileSync(program, code);
  const PATH = [dirname(process.execPath), process.env["PATH"], dir].join(delimiter);
  const [command, args] =
    language === "sh" ? (["sh", ["-euc", code]] as const) : ([process.execPath, [program]] as const);
  const env = { ...process.env, ...variables, PATH };
  const { stdout } = await promisify(execFile)(command, args, { cwd: dir, env });
  return stdout;
}

/** Replaces the usual addresses of a product by the banner's addresses. */
function withAddresses(code: string): string {
  const { operatorUrl, acquirerUrl } = started.file;
  return code
    .replaceAll("http://127.0.0.1:8081", operatorUrl)
    .replaceAll("http://127.0.0.1:8083", acquirerUrl);
}

/** @returns the id of a refund that waits for a decision. */
async function requestRefund(orderId: string): Promise<string> {
  const { gatewayUrl, merchants } = started.file;
  const { apiKey, apiSecret } = merchants[0]!;
  const post = async (path: string, body: object) => {
    const headers = {
      "X-API-KEY": apiKey,
      "X-API-SECRET": apiSecret,
      "Content-Type": "application/json",
    };
    const answer = await fetch(gatewayUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { paymentId: string }).paymentId;
  };
  const paid = await post("/api/payment", preAuthorization({ orderId }));
  return await post(`/api/payment/${paid}/refund`, { amount: 1, currency: "TRY" });
}

/** Runs the guide's server as its reader does. */
async function startServer(program: string) {
  const running = spawn(process.execPath, [fileURLToPath(program)], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void running.kill());
  const port = await new Promise<string>((resolve, reject) => {
    running.once("exit", (code) => reject(new Error(`the server has ended with ${code}`)));
    running.stdout.on("data", (piece) => {
      const [, found] = /port: (\d+)/.exec(String(piece)) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    /** @returns its answer to a webhook. */
    send: async (body: Uint8Array, received: Record<string, unknown>) => {
      const headers = Object.entries(received).flatMap(([name, value]): [string, string][] =>
        typeof value === "string" && name.startsWith("x-") ? [[name, value]] : [],
      );
      const url = `http://127.0.0.1:${port}/webhooks`;
      return (await fetch(url, { method: "POST", headers, body: new Uint8Array(body) })).status;
    },
    /** A sender that goes away in the middle of the body. Resolves when the server has said so. */
    sendHalf: async () => {
      const said = once(running.stderr, "data");
      const socket = connect(Number(port), "127.0.0.1");
      socket.write("POST /webhooks HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\n{", () =>
        socket.destroy(),
      );
      expect(String(await said)).toContain("aborted");
    },
  };
}

type Block = { language: string; mark: string | undefined; code: string; index: number };

/** A guide in a directory of its own, with the values that its reader would have filled in. */
function openGuide(name: string, more: Record<string, string> = {}) {
  const cwd = join(dir, `${name}-${readdirSync(dir).length}`);
  mkdirSync(cwd);
  const text = readFileSync(join(guides, `${name}.md`), "utf8");
  const blocks = [...text.matchAll(/^```(\w*)(?: (\w+))?\n([^]*?)^```$/gm)].map(
    ([, language = "", mark, code = ""], index): Block => ({ language, mark, code, index }),
  );
  const values = { ...valuesOfBanner(), ...more };
  let output = "";
  const shell = async (script: string, variables: Record<string, string> = {}) => {
    const PATH = [dirname(process.execPath), process.env["PATH"], dir].join(delimiter);
    const { stdout } = await promisify(execFile)("sh", ["-c", script], {
      cwd,
      env: { ...process.env, ...values, ...variables, PATH },
    });
    return stdout;
  };
  const run = async (code: string) =>
    (output += await shell(`set -eua\ntest ! -f env || . ./env\n${code}\nexport -p > env`));
  const save = (block: Block, name = `block-${block.index}.${block.language === "ts" ? "mts" : "mjs"}`) => {
    const file = join(cwd, name);
    writeFileSync(file, block.code);
    return pathToFileURL(file).href;
  };
  return {
    blocks,
    save,
    output: () => output,
    variables: async () =>
      JSON.parse(await shell(`. ./env\nnode -p 'JSON.stringify(process.env)'`)) as Record<string, string>,
    async step(block: Block): Promise<void> {
      const { language, mark, code } = block;
      expect(["sh", "ts", "js"]).toContain(language);
      if (language !== "sh") return void (await run(`node ${new URL(save(block)).pathname}`));
      if (mark === "terminal")
        return expect(ELSEWHERE).toEqual(expect.arrayContaining(code.trim().split("\n")));
      if (mark === "values") {
        const named = [...code.matchAll(/^export (\w+)=/gm)].map(([, variable]) => variable);
        return expect(Object.keys(values)).toEqual(expect.arrayContaining(named));
      }
      if (mark === "browser") await passChallenge(/^http\S+$/m.exec(output)![0]);
      await run(code);
    },
  };
}

/** The buyer's way: the address that was printed, the challenge with its code, and back to the shop. */
async function passChallenge(redirectUrl: string): Promise<void> {
  const issuer = await send(await open(redirectUrl));
  const back = await send(issuer, { code: "123456", answer: "submit" });
  expect((await send(back)).shop?.pathname).toBe("/paid");
}

function valuesOfBanner(): Record<string, string> {
  const { file } = started;
  const merchant = file.merchants[0]!;
  return {
    GATEWAY: file.gatewayUrl,
    OPERATOR: file.operatorUrl,
    API_KEY: merchant.apiKey,
    API_SECRET: merchant.apiSecret,
    TEST_API_KEY: file.testMode.apiKey,
    TEST_API_SECRET: file.testMode.apiSecret,
    MERCHANT_ID: merchant.merchantId,
    TOKEN: file.operators[0]!.token,
    WEBHOOK_URL: "https://localhost:9443/webhooks",
  };
}
