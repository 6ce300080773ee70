import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packClient } from "../../packages/client/scripts/pack-client.ts";
import { startTestSystem, type TestSystem } from "../support/index.ts";
import { createMerchant } from "./create-merchant.ts";
import { platforms } from "./platforms.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");

/**
 * The client as merchants get it: packed, and installed into an empty project with no network. `npm run
 * test:package` also fetches the Node versions of `CLIENT_NODE_VERSIONS` and the other platforms of
 * `CLIENT_PLATFORMS`; otherwise the test uses the Nodes of this machine.
 */
let dir: string;
let packed: string;
let project: string;
let system: TestSystem;
let access: string[];

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "holdfast-client-")));
  packed = await packClient(join(dir, "package"));
  project = join(dir, "project");
  await cp(join(import.meta.dirname, "consumer"), project, { recursive: true });
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ name: "shop", private: true, type: "module" }),
  );
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", packed], { cwd: project });
  system = await startTestSystem({ services: ["gateway-merchant", "payments", "refunds"], running: [] });
  const { apiKey, apiSecret } = await createMerchant(system);
  for (const service of ["payments", "refunds"] as const) await system.start(service);
  const { port } = await system.start("gateway-merchant");
  access = [`http://127.0.0.1:${port}`, apiKey, apiSecret, await closedUrl()];
});
afterAll(async () => {
  await system?.close();
  await rm(dir, { recursive: true, force: true });
});

test("it has no dependencies, and nothing but the code, its types, the licence and the guide", async () => {
  const { stdout } = await run("tar", ["-tzf", packed]);
  const files = stdout.trim().split("\n");
  const others = files.filter((file) => !/^package\/(?:esm|cjs)\/[a-z-]+\.(?:js|d\.ts)$/.test(file)).sort();
  const folders = ["cjs", "esm"].map((format) => `package/${format}/package.json`);
  expect(others).toEqual(["package/LICENSE", "package/README.md", ...folders, "package/package.json"]);
  const installed = await run("npm", ["ls", "--all", "--json"], { cwd: project });
  expect(Object.keys((JSON.parse(installed.stdout) as { dependencies: object }).dependencies)).toEqual([
    "@holdfast/client",
  ]);
});

test("its sources are not packed in its place", async () => {
  const packing = run("npm", ["pack", "--dry-run"], { cwd: join(root, "packages", "client") });
  await expect(packing).rejects.toMatchObject({ stderr: expect.stringContaining("npm run pack:client") });
});

test("every way of importing it finds its code and its types", async () => {
  const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(packed))));
  expect(checked.types === false ? "no types" : checked.problems).toEqual([]);
  const { messages, pkg } = await publint({ pkgDir: join(dir, "package"), strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("on every platform it pays, is declined, captures, refunds and verifies, as ESM and as CommonJS", async () => {
  const used = await platforms(dir);
  for (const { name, agent, tellsClosed, use } of used) {
    for (const came of await use(project, access)) {
      expect(JSON.parse(came), name).toEqual({
        platform: expect.stringMatching(agent),
        outcomes: ["done", "declined", "done", "done", "done", "not_started"],
        found: 12.5,
        fields: ["cvv"],
        // Lists this program's payments only: each one before it has sold the same order.
        listed: [
          "REFUND PENDING_APPROVAL",
          "PRE_AUTHORIZATION CAPTURED",
          "PAYMENT FAILED",
          "PAYMENT SUCCESS",
        ],
        refunds: [2.5],
        isWhole: true,
        fault: "inexact_amount",
        unreachable: tellsClosed ? "not_started" : "unknown",
        webhook: true,
        forged: false,
      });
    }
  }
  process.stdout.write(`used on ${used.map(({ name }) => name).join(", ")}\n`);
});

test.each([
  ["nodenext", { module: "nodenext", types: ["node"], lib: ["es2022"] }],
  [
    "a bundler, with the types of the web",
    { module: "esnext", moduleResolution: "bundler", types: [], lib: ["es2022", "dom"] },
  ],
])("a strict compiler accepts its types by %s, and refuses what is wrong", async (_name, options) => {
  await mkdir(join(project, "node_modules", "@types"), { recursive: true });
  for (const types of ["@types/node", "undici-types"]) {
    await cp(join(root, "node_modules", types), join(project, "node_modules", types), { recursive: true });
  }
  const compilerOptions = { target: "es2022", strict: true, exactOptionalPropertyTypes: true, noEmit: true };
  const config = { compilerOptions: { ...compilerOptions, ...options }, files: ["typed.ts"] };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await run(process.execPath, [tsc], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
});

/** Declarations for the reader of the client's README: environment, card, and results of the blocks before. */
const READER = `
declare const process: { env: Record<string, string> };
declare const card: { cardHolderName: string; pan: string; expiryMonth: string; expiryYear: string; cvv: string; requestIp: string; requestPort: number };
declare const rawBody: Uint8Array;
declare const request: { headers: Record<string, string> };
declare const payment: import("@holdfast/client").Payment;
declare const file: { write(piece: string): void };
declare function note(endpointId: string, change: string, by: string | undefined): void;
declare function ship(paymentId: string): Promise<void>;
declare function askForAnotherCard(resultCode: string | undefined): Promise<void>;
declare function remember(key: string, paymentId: string | undefined): Promise<void>;
declare function tryLater(): Promise<void>;
declare function mail(url: string): Promise<void>;
declare function print(svg: string): Promise<void>;
declare function respond(status: number): void;
declare function isNew(eventId: string): Promise<boolean>;
declare function enqueue(event: object): Promise<void>;
declare function log(type: string, body: unknown): void;
declare function alarm(endpointId: string, since: string | undefined): void;
declare function close(orderId: string, status: string): void;
declare function book(day: string, currency: string, revision: number, statement: object): void;
declare function dispute(paymentId: string, chargeback: object): void;
declare function update(paymentId: string, version: number | undefined, status: string): void;
`;

test("a strict compiler accepts every block of its README", async () => {
  const readme = await readFile(join(root, "packages", "client", "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code!);
  expect(blocks.length).toBeGreaterThan(5);
  const imports = new Set(blocks.flatMap((code) => code.match(/^import .*$/gm) ?? []));
  const [first = "", ...others] = blocks.map((code) => code.replaceAll(/^import .*$/gm, ""));
  const made =
    "const verdict = await verifyWebhook(rawBody, request.headers, process.env.SECRET); if (!verdict.valid) return;";
  const bodies = others.map(
    (code, index) =>
      `export async function block${index}() {\n${/\{ event \} = verdict/.test(code) ? made : ""}\n${code}}`,
  );
  await writeFile(join(project, "readme.ts"), [...imports, READER, first, ...bodies].join("\n"));
  const compilerOptions = {
    target: "es2022",
    strict: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    lib: ["es2022", "dom"],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["readme.ts"] }));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await run(process.execPath, [tsc], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
});

/** An address at which a server no longer listens. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}
