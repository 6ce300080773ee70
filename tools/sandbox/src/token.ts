/**
 * `npm run token -- alice`: a new access token of one of the sandbox's operators, valid for 24 hours. It
 * prints only the token, so that a shell can assign it to a variable.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine, runProgram, UsageError } from "@holdfast/service-runtime/command-line";
import { decodeJwt } from "jose";
import { createToken, operatorNames } from "./operators.ts";
import type { SandboxFile } from "./sandbox-file.ts";
import type { Secrets } from "./secrets.ts";

const HELP = `npm run --silent token -- [--home DIR] NAME

Prints a new access token of an operator, which is valid for 24 hours.

  NAME          ${operatorNames().join(", ")}
  --home DIR    the sandbox in DIR (default .holdfast)
`;

async function main(args: string[]): Promise<void> {
  const line = readCommandLine(args, {
    help: HELP,
    positionals: true,
    options: { home: { type: "string", default: ".holdfast" } },
  });
  if (!line) return;
  const { values, positionals } = line;
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0)
    throw new UsageError(`name one operator: ${operatorNames().join(", ")}`);
  const { operatorKey } = read(values.home, "secrets.json") as Secrets;
  const { operators } = read(values.home, "sandbox.json") as SandboxFile;
  // The sandbox's identity provider, whose address is another one at each start that chooses free ports.
  const { iss } = decodeJwt(operators[0]!.token);
  const operator = await createToken(operatorKey, iss!, name);
  if (!operator) throw new Error(`there is no operator ${name}: name one of ${operatorNames().join(", ")}`);
  process.stdout.write(`${operator.token}\n`);
}

function read(home: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(join(home, file), "utf8"));
  } catch (cause) {
    throw new Error(`there is no sandbox in ${home}: start it (npm start), or give its --home`, { cause });
  }
}

await runProgram("token", main);
