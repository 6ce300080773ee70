// `npm run chaos`: payments, refunds and webhooks under random faults, and the checker's verdict. A seed gives the same
// schedule again.
//
//   npm run chaos -- --seed 42 --payments 500 --seconds 60
//   npm run chaos -- --minutes 30                             # as dense as the short one, for longer
//   npm run chaos -- --banks sim,nestpay,garanti               # merchants with accounts at three banks
//   npm run chaos -- --binds-unseen false --repetition none   # a bank without kind habits
import { readCommandLine, runProgram, UsageError, wholeNumber } from "@holdfast/service-runtime/command-line";
import { describeViolation } from "../checker/index.ts";
import { drawSeed } from "./random.ts";
import { FOREIGN_BANKS, type ForeignBankName } from "./system/foreign-banks.ts";
import { bankHabits } from "./system/bank-habits.ts";
import { runChaos, type Verdict } from "./run-chaos.ts";

const HELP = `npm run chaos -- [--seed N] [--minutes N | --seconds N] [--payments N] [--banks LIST]
                     [--binds-unseen true|false] [--repetition HABIT]

Random payments, checkouts, refunds and webhooks under random faults, judged by a program that shares no code with the services.

  --seed N                   repeats a schedule (default: $HOLDFAST_SEED, or a random one)
  --minutes N, --seconds N   how long (default: 75 seconds)
  --payments N               how many (default: what two busy cores can take)
  --banks LIST               sim, and any of ${FOREIGN_BANKS.join(", ")} (default: sim)
  --binds-unseen, --repetition   habits of the simulated bank
`;
const VIOLATIONS_SHOWN = 10;
/** The load that two busy cores can take: 500 within 75 seconds. */
const PAYMENTS_PER_SECOND = 500 / 75;
const print = (line: string) => void process.stdout.write(`${line}\n`);
const startedAt = performance.now();
/** Prints the seconds since the start, too, to show where a long run's time was spent. */
const printTimed = (line: string) =>
  print(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s: ${line}`);

await runProgram("chaos", main, { trace: true });

async function main(args: string[]): Promise<number> {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      seed: { type: "string", default: process.env["HOLDFAST_SEED"] ?? `${drawSeed()}` },
      payments: { type: "string" },
      seconds: { type: "string" },
      minutes: { type: "string" },
      "binds-unseen": { type: "string" },
      repetition: { type: "string" },
      banks: { type: "string", default: "sim" },
    },
  });
  if (!line) return 0;
  const { values } = line;
  const seed = wholeNumber("seed", values.seed);
  const minutes = values.minutes === undefined ? undefined : wholeNumber("minutes", values.minutes);
  const seconds = wholeNumber("seconds", values.seconds ?? `${minutes === undefined ? 75 : minutes * 60}`);
  const payments = wholeNumber("payments", values.payments ?? `${Math.round(seconds * PAYMENTS_PER_SECOND)}`);
  const banks = foreignBanks(values.banks);
  // Processes started here die with this one, and the next test run removes its directory.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(130));
  // The simulator and all programs that depend on this setting read it from the environment.
  if (values["binds-unseen"] !== undefined) process.env["SIMULATOR_BINDS_UNSEEN"] = values["binds-unseen"];
  if (values.repetition !== undefined) process.env["SIMULATOR_REPETITION"] = values.repetition;
  bankHabits();
  print(`seed ${seed}: to repeat this schedule, run HOLDFAST_SEED=${seed} npm run chaos`);
  const { verdicts, dir } = await runChaos({ seed, payments, seconds, banks, log: printTimed });
  for (const verdict of verdicts) printVerdict(verdict);
  const failed = verdicts.filter(({ violations }) => violations.length > 0).length;
  if (failed > 0) print(`seed ${seed}; ledgers, logs and schedule are in ${dir}`);
  print(`${verdicts.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

function printVerdict({ promise, violations }: Verdict): void {
  print(`${violations.length === 0 ? "ok    " : "BROKEN"} ${promise}`);
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN))
    print(`       ${describeViolation(violation)}`);
  if (violations.length > VIOLATIONS_SHOWN) print(`       and ${violations.length - VIOLATIONS_SHOWN} more`);
}

/** @param text `sim`, which is part of every run, and others. */
function foreignBanks(text: string): ForeignBankName[] {
  const names = text.split(",");
  const unknown = names.filter((name) => name !== "sim" && !FOREIGN_BANKS.some((bank) => bank === name));
  if (unknown.length > 0 || !names.includes("sim"))
    throw new UsageError(`--banks must have sim, and may have any of ${FOREIGN_BANKS.join(", ")}`);
  return FOREIGN_BANKS.filter((bank) => names.includes(bank));
}
