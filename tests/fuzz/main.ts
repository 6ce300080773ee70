// `npm run fuzz`: requests drawn from the OpenAPI documents and bent, against the whole product. A seed gives the same again.
//
//   npm run fuzz -- --seed 42 --requests 5000
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawSeed } from "../chaos/random.ts";
import { runFuzz } from "./run-fuzz.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: process.env["HOLDFAST_SEED"] ?? `${drawSeed() >>> 1}` },
    requests: { type: "string", default: "5000" },
  },
});
const FAULTS_SHOWN = 10;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
const print = (line: string) => void process.stdout.write(`${line}\n`);

const seed = wholeNumber("seed", values.seed);
print(`seed ${seed}: to send the same requests again, run HOLDFAST_SEED=${seed} npm run fuzz`);
const home = await mkdtemp(join(tmpdir(), "holdfast-fuzz-"));
const { faults } = await runFuzz({
  home,
  seed,
  requests: wholeNumber("requests", values.requests),
  log: print,
});
for (const fault of faults.slice(0, FAULTS_SHOWN)) print(`FAULT ${fault}`);
if (faults.length > 0) print(`${faults.length} faults; seed ${seed}; logs are in ${join(home, "logs")}`);
else await rm(home, { recursive: true, force: true, maxRetries: 5 });
process.exitCode = faults.length > 0 ? 1 : 0;

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new RangeError(`--${name} must be a whole number`);
  return Number(text);
}
