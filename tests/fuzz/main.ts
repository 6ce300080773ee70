// `npm run fuzz`: requests generated from the OpenAPI documents and bent, against the whole product. A seed gives the
// same requests again.
//
//   npm run fuzz -- --seed 42 --requests 5000
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine, runProgram, wholeNumber } from "@holdfast/service-runtime/command-line";
import { drawSeed } from "../chaos/random.ts";
import { runFuzz } from "./run-fuzz.ts";

const HELP = `npm run fuzz -- [--seed N] [--requests N]

Sends generated requests that are bent byte by byte to every process, and compares each answer with the OpenAPI documents.

  --seed N      sends the same requests again (default: $HOLDFAST_SEED, or a random one)
  --requests N  (default 5000)
`;
const FAULTS_SHOWN = 10;
const print = (line: string) => void process.stdout.write(`${line}\n`);

await runProgram("fuzz", main, { trace: true });

async function main(args: string[]): Promise<number> {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      seed: { type: "string", default: process.env["HOLDFAST_SEED"] ?? `${drawSeed() >>> 1}` },
      requests: { type: "string", default: "5000" },
    },
  });
  if (!line) return 0;
  const seed = wholeNumber("seed", line.values.seed);
  const requests = wholeNumber("requests", line.values.requests);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(130));
  print(`seed ${seed}: to send the same requests again, run HOLDFAST_SEED=${seed} npm run fuzz`);
  const home = await mkdtemp(join(tmpdir(), "holdfast-fuzz-"));
  const { faults } = await runFuzz({ home, seed, requests, log: print });
  for (const fault of faults.slice(0, FAULTS_SHOWN)) print(`FAULT ${fault}`);
  if (faults.length > 0) print(`${faults.length} faults; seed ${seed}; logs are in ${join(home, "logs")}`);
  else await rm(home, { recursive: true, force: true, maxRetries: 5 });
  return faults.length > 0 ? 1 : 0;
}
