// Tests the checker itself: protections of the money path are taken out, one at a time, in a copy of the repository,
// and the scenario that is about each has to fail. Run by hand, takes minutes:
//
//   node tests/chaos/mutants.ts [--only "a piece of a name"]
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "@holdfast/service-runtime/command-line";
import { createMutantWorkspace, type MutantWorkspace } from "./mutant-workspace.ts";
import { MUTATIONS, type Mutation, type Scenario } from "./mutations.ts";

const TIMEOUT_MS = 240_000;
const repository = join(import.meta.dirname, "..", "..");
const line = readCommandLine(process.argv.slice(2), {
  help: "node tests/chaos/mutants.ts [--only TEXT]\n\n  --only TEXT   mutants alone whose names have this text",
  options: { only: { type: "string", default: "" } },
});
if (!line) process.exit(0);
const { values } = line;
const print = (line: string) => void process.stdout.write(`${line}\n`);

const chosen = MUTATIONS.filter(({ name }) => name.includes(values.only));
const workspace = createMutantWorkspace(repository);
process.once("exit", () => workspace.remove());
process.once("SIGINT", () => process.exit(130));

// Each scenario also runs without a mutation: one that always fails would otherwise seem to notice every
// mutant.
const controls = [...new Map(chosen.map(({ scenario }) => [scenario.file, scenario])).values()];
let failed = 0;
for (const scenario of controls) {
  const whole = { ...scenario, test: "" };
  report(`(nothing taken out: ${scenario.file})`, await runScenario(workspace, whole), false);
}
for (const mutation of chosen) report(mutation.name, await runMutant(workspace, mutation), true);
print(`${controls.length + chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

type Outcome = { noticed: boolean; by: string };

async function runMutant(workspace: MutantWorkspace, { changes, scenario }: Mutation): Promise<Outcome> {
  workspace.apply(changes);
  try {
    return await runScenario(workspace, scenario);
  } finally {
    workspace.restore();
  }
}

async function runScenario({ root }: MutantWorkspace, { file, test }: Scenario): Promise<Outcome> {
  const resultFile = join(root, "result.json");
  const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
  const reporter = ["--reporter", "json", "--outputFile", resultFile];
  const args = [vitest, "run", "--project", "fault", ...reporter, `chaos/${file}`, "-t", test];
  const env = { ...process.env, HOLDFAST_SYSTEM_ROOT: root };
  rmSync(resultFile, { force: true });
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: repository, env, timeout: TIMEOUT_MS }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  if (!existsSync(resultFile)) throw new Error(`${file}, ${test} could not be run: ${output}`);
  const { numPassedTests, testResults } = JSON.parse(readFileSync(resultFile, "utf8")) as VitestResult;
  const failures = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ failureMessages }) => failureMessages),
  );
  // A mutant that cannot even start is not one that was noticed.
  if (failures.length === 0 && numPassedTests === 0)
    throw new Error(`${file}, ${test} did not run: ${output}`);
  return { noticed: failures.length > 0, by: describe(failures) };
}

type VitestResult = {
  numPassedTests: number;
  testResults: { assertionResults: { failureMessages: string[] }[] }[];
};

/** The invariants that were broken, or, where none was, the scenario's own failed expectation. */
function describe(failures: string[]): string {
  const invariants = new Set(failures.join("\n").match(/invariant \d+/g));
  const expectation = failures[0]?.split("\n")[0] ?? "";
  return invariants.size > 0 ? [...invariants].toSorted().join(", ") : expectation.slice(0, 100);
}

function report(name: string, { noticed, by }: Outcome, shouldBeNoticed: boolean): void {
  if (noticed !== shouldBeNoticed) failed++;
  const verdict = noticed ? "caught" : shouldBeNoticed ? "NOT CAUGHT" : "passes";
  print(
    `${(noticed === shouldBeNoticed ? verdict : verdict.toUpperCase()).padEnd(11)}${name.padEnd(62)}${by}`,
  );
}
