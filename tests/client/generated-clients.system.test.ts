import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSystem, type TestSystem } from "../support/index.ts";
import { createMerchant } from "./create-merchant.ts";

const run = promisify(execFile);
const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "openapi.merchant.json");

let dir: string;
let system: TestSystem;
let access: string[];

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "holdfast-generated-")));
  system = await startTestSystem({ services: ["gateway-merchant", "payments", "refunds"], running: [] });
  const { apiKey, apiSecret } = await createMerchant(system);
  for (const service of ["payments", "refunds"] as const) await system.start(service);
  const { port } = await system.start("gateway-merchant");
  access = [`http://127.0.0.1:${port}`, apiKey, apiSecret];
});
afterAll(async () => {
  await system?.close();
  await rm(dir, { recursive: true, force: true });
});

/** The generators with which developers have asked for a client, as their manuals call them: without a switch. */
const GENERATORS = [
  {
    name: "openapi-typescript",
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"],
    program: ["openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts"],
    merchant: `
import createClient from "openapi-fetch";
import type { paths } from "./schema";
const { GET, POST } = createClient<paths>({ baseUrl, headers });
const paid = await POST("/api/payment", { params: { header: { "Idempotency-Key": key } }, body });
const paymentId = paid.data?.paymentId ?? "";
const found = await GET("/api/payment/{paymentId}", { params: { path: { paymentId } } });
const refused = await POST("/api/payment", { body: { ...body, amount: 0 } });
`,
  },
  {
    name: "@hey-api/openapi-ts",
    packages: ["@hey-api/openapi-ts@0.99.0"],
    program: ["@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "generated"],
    merchant: `
import { client } from "./generated/client.gen";
import { getPayment, pay } from "./generated/sdk.gen";
client.setConfig({ baseUrl, headers });
const paid = await pay({ headers: { "Idempotency-Key": key }, body });
const paymentId = paid.data?.paymentId ?? "";
const found = await getPayment({ path: { paymentId } });
const refused = await pay({ body: { ...body, amount: 0 } });
`,
  },
];

/** The caller's arguments, a card, and the output at the end, around a generator's client. */
const BEGIN = `
declare const process: { argv: string[] };
const [baseUrl = "", apiKey = "", apiSecret = "", key = ""] = process.argv.slice(2);
const headers = { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret };
const body = {
  orderId: key, amount: 12.5, currency: "TRY", cardHolderName: "Ada Lovelace", pan: "4111111111111111",
  expiryMonth: "12", expiryYear: "35", cvv: "123", requestIp: "203.0.113.7", requestPort: 50123,
} as const;
`;
const END = `
console.log(JSON.stringify([paid.data?.status, found.data?.amount, refused.error?.errors?.[0]?.field]));
`;

test.each(GENERATORS)(
  "the client that $name makes compiles, pays, and reads a problem",
  async (generator) => {
    const folder = join(dir, generator.name.replaceAll("/", "-"));
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder];
    await run("npm", ["install", ...options, "typescript@5.9.3", ...generator.packages], { cwd: folder });
    await cp(DOCUMENT, join(folder, "openapi.json"));
    const node = async (program: string, ...args: string[]) =>
      (await run(process.execPath, [join(folder, "node_modules", program), ...args], { cwd: folder })).stdout;
    await node(...(generator.program as [string, ...string[]]));
    const [imports = "", calls = ""] = generator.merchant.split(/\n(?=client|const)(.*)/s);
    await writeFile(join(folder, "merchant.ts"), `${imports}\n${BEGIN}\n${calls}\n${END}`);
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER, files: ["merchant.ts"] }),
    );
    const compiled = await node("typescript/bin/tsc").catch((error: { stdout: string }) => error.stdout);
    expect(compiled).toBe("");
    const outfile = join(folder, "merchant.mjs");
    await build({ entryPoints: [join(folder, "merchant.ts")], outfile, bundle: true, format: "esm" });
    const { stdout } = await run(process.execPath, [outfile, ...access, `order ${generator.name}`]);
    expect(JSON.parse(stdout)).toEqual(["SUCCESS", 12.5, "amount"]);
  },
);

const COMPILER = {
  noEmit: true,
  strict: true,
  module: "esnext",
  moduleResolution: "bundler",
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  types: [],
};
