// What `npm run bank-check` runs: the walk through a test account at a real bank.
import { parseArgs } from "node:util";
import { readAccountFile, UsageError } from "./account-file.ts";
import { checkBank } from "./check-bank.ts";
import { shortly } from "./open-questions.ts";
import { requireTestHost } from "./require-test-host.ts";

const USAGE = `npm run bank-check -- --account FILE [--allow-host HOST]

  --account FILE     the body of POST /operator/acquirer-accounts, with "testCard"
  --allow-host HOST  allows a host that is not known as a test host; the walk moves money there

docs/acquirers.md describes the file and the report.`;

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) process.stdout.write(`${USAGE}\n`);
else await main();

async function main(): Promise<void> {
  try {
    const { account: path, hosts } = argumentsOf(args);
    const account = await readAccountFile(path);
    requireTestHost(account, hosts);
    const surprising = await checkBank(account, (line) => process.stdout.write(`${line}\n`));
    for (const { name, outcome } of surprising)
      process.stderr.write(`unexpected: ${name} is ${shortly(outcome)}\n`);
    process.exitCode = surprising.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}\n`);
    process.exitCode = 2;
  }
}

function argumentsOf(given: string[]): { account: string; hosts: string[] } {
  try {
    const { values } = parseArgs({
      args: given,
      options: { account: { type: "string" }, "allow-host": { type: "string", multiple: true } },
    });
    if (values.account === undefined) throw new UsageError("--account is required");
    return { account: values.account, hosts: values["allow-host"] ?? [] };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError((error as Error).message);
  }
}
