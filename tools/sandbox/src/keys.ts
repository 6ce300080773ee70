/**
 * `npm run keys`: the keys of all services of a sandbox. In containers and in Kubernetes each service has the command,
 * with its own environment: `holdfast keys SERVICE` (docs/keys.md).
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "@holdfast/bundle";
import { readCommandLine, runProgram, UsageError } from "@holdfast/service-runtime/command-line";
import { sandboxFileName, type SandboxFile } from "./sandbox-file.ts";
import type { Secrets } from "./secrets.ts";

const HELP = `npm run keys -- [--home DIR] COMMAND

  status [--json]                  prints the keys of each ring, and how many rows still need each key
  reencrypt                        encrypts webhook secrets, accounts' credentials and evidence under the first keys of
                                   WEBHOOK_SECRET_KEYS, ACCOUNT_SECRET_KEYS and FILE_KEYS
  forget-fingerprints --key ID     removes card fingerprints under a key that has left PAN_FINGERPRINT_KEYS
  wrap SETTING [OPTION...] < RING  encrypts a ring under a key-encrypting key; needs no sandbox

  --home DIR    the sandbox in DIR (default .holdfast). A ring that is set in the environment replaces the sandbox's
`;

/** Which services know a command. */
const SERVICES: Record<string, string[]> = {
  status: ["gateway", "payments", "webhook-dispatcher"],
  reencrypt: ["webhook-dispatcher", "payments"],
  "forget-fingerprints": ["payments"],
};

async function main(args: string[]): Promise<number> {
  if (args[0] === "wrap") return await run(process.env, "wrap-ring", ...args.slice(1));
  const line = readCommandLine(args, {
    help: HELP,
    positionals: true,
    options: {
      home: { type: "string", default: ".holdfast" },
      json: { type: "boolean", default: false },
      key: { type: "string" },
    },
  });
  if (!line) return 0;
  const { home, json, key } = line.values;
  const services = SERVICES[line.positionals[0] ?? "status"];
  if (!services) throw new UsageError(`the commands are ${Object.keys(SERVICES).join(", ")}`);
  const passedOn = [
    ...line.positionals,
    ...(json ? ["--json"] : []),
    ...(key === undefined ? [] : ["--key", key]),
  ];
  const env = { ...ringsOf(home), ...process.env };
  const codes: number[] = [];
  for (const service of services) codes.push(await run(env, "keys", service, ...passedOn));
  return Math.max(...codes);
}

async function run(env: NodeJS.ProcessEnv, ...command: string[]): Promise<number> {
  const { holdfast: program } = await bundle();
  return spawnSync(process.execPath, [program, ...command], { env, stdio: "inherit" }).status ?? 2;
}

/** The key rings as the sandbox gives them to its services. */
function ringsOf(home: string): Record<string, string> {
  const { databaseUrl } = read(join(home, sandboxFileName), home) as SandboxFile;
  const secrets = read(join(home, "secrets.json"), home) as Secrets;
  return {
    DATABASE_URL: databaseUrl,
    THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
    CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
    CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
    PAN_FINGERPRINT_KEYS: `0:${secrets.panFingerprintKey}`,
    WEBHOOK_SECRET_KEYS: `k1:${secrets.webhookSecretKey}`,
    ACCOUNT_SECRET_KEYS: `k1:${secrets.accountSecretKey}`,
    FILE_KEYS: `k1:${secrets.fileKey}`,
  };
}

function read(file: string, home: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`no sandbox is running in ${home}: start it (npm start), or give its --home`, { cause });
  }
}

await runProgram("keys", main);
