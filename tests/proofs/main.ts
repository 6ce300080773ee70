/**
 * `npm run proofs`: everything that a release has to pass, part by part, at most ninety minutes on two slow cores. Results
 * are kept in `.cache/proofs`, so that a second run continues after the last green part of the same revision.
 *
 * `.ci/run` runs the smaller list, `--gate`.
 */
import { readCommandLine, runProgram, UsageError } from "@holdfast/service-runtime/command-line";
import { GATE, PROOFS, type Part } from "./parts.ts";
import { keptResults, keepResult, revision, type Result } from "./results.ts";
import { runPart } from "./run-part.ts";

const HELP = `npm run proofs -- [--gate] [--only PART,…] [--from PART] [--again] [--list]

Runs everything that a release has to pass, and prints a table. Parts that are green for this revision are not run again.

  --gate         the smaller list of .ci/run
  --only PART,…  these parts alone
  --from PART    this part and all that follow
  --again        runs green parts again
  --list         prints the parts with their commands and bounds
`;

await runProgram("proofs", main, { trace: true });

async function main(args: string[]): Promise<number> {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      gate: { type: "boolean", default: false },
      only: { type: "string" },
      from: { type: "string" },
      again: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  if (!line) return 0;
  const { gate, only, from, again, list } = line.values;
  const parts = choose(gate ? GATE : PROOFS, { only, from });
  if (list) {
    for (const { name, minutesMax, command } of parts)
      print(`${name.padEnd(18)} ${`${minutesMax}`.padStart(3)} min  ${command}`);
    return 0;
  }
  const results = await runAll(parts, { again });
  for (const { part, shown } of results) if (shown) print(`\n== ${part}: its failures\n${shown}`);
  printTable(results);
  const sum = (field: "passed" | "failed") => results.reduce((total, result) => total + result[field], 0);
  print(`${sum("passed")} passed, ${sum("failed")} failed`);
  return results.every(({ verdict }) => verdict === "green") ? 0 : 1;
}

function choose(
  all: readonly Part[],
  { only, from }: { only: string | undefined; from: string | undefined },
): Part[] {
  const names = all.map(({ name }) => name);
  const asked = [...(only?.split(",") ?? []), ...(from === undefined ? [] : [from])];
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no part ${unknown}; the parts are ${names.join(", ")}`);
  const start = from === undefined ? 0 : names.indexOf(from);
  return all.filter(
    ({ name }, index) => index >= start && (only === undefined || only.split(",").includes(name)),
  );
}

async function runAll(parts: Part[], { again }: { again: boolean }): Promise<Result[]> {
  const now = revision();
  const kept = again ? new Map<string, Result>() : keptResults(now);
  const results: Result[] = [];
  for (const part of parts) {
    const before = kept.get(part.command);
    if (before?.verdict === "green") {
      print(`== ${part.name}: green already`);
      results.push(before);
      continue;
    }
    print(`== ${part.name}: ${part.command}`);
    const result = await runPart(part);
    print(`== ${part.name}: ${result.verdict} after ${result.minutes.toFixed(1)} min`);
    keepResult(now, result);
    results.push(result);
  }
  return results;
}

function printTable(results: Result[]): void {
  print(`\n${"part".padEnd(18)} ${"cases".padStart(6)} ${"minutes".padStart(8)}  verdict  seed`);
  for (const { part, passed, failed, minutes, verdict, seed } of results)
    print(
      `${part.padEnd(18)} ${`${passed + failed}`.padStart(6)} ${minutes.toFixed(1).padStart(8)}  ${verdict.padEnd(7)}  ${seed ?? ""}`.trimEnd(),
    );
  const minutes = results.reduce((total, result) => total + result.minutes, 0);
  print(`${"all".padEnd(18)} ${"".padStart(6)} ${minutes.toFixed(1).padStart(8)}\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
