// Entry of `npm run bank-check`: the walk through a test account at a real bank.
import { readCommandLine, runProgram, UsageError } from "@holdfast/service-runtime/command-line";
import { readAccountFile } from "./account-file.ts";
import { checkBank } from "./check-bank.ts";
import { shortly } from "./open-questions.ts";
import { requireTestHost } from "./require-test-host.ts";

const USAGE = `npm run bank-check -- --account FILE [--allow-host HOST]

  --account FILE     the body of POST /operator/acquirer-accounts, with "testCard"
  --allow-host HOST  allows a host that is not known as a test host; the walk moves money there

docs/acquirers.md describes the file and the report.`;

await runProgram("bank-check", main, { trace: true });

async function main(args: string[]): Promise<number> {
  const line = readCommandLine(args, {
    help: USAGE,
    options: { account: { type: "string" }, "allow-host": { type: "string", multiple: true, default: [] } },
  });
  if (!line) return 0;
  if (line.values.account === undefined) throw new UsageError("--account is required (--help explains it)");
  const account = await readAccountFile(line.values.account);
  requireTestHost(account, line.values["allow-host"]);
  const surprising = await checkBank(account, (text) => process.stdout.write(`${text}\n`));
  for (const { name, outcome } of surprising)
    process.stderr.write(`unexpected: ${name} is ${shortly(outcome)}\n`);
  return surprising.length === 0 ? 0 : 1;
}
