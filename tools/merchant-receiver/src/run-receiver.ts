import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readCommandLine, UsageError } from "@holdfast/service-runtime/command-line";
import { callLoopbackDirectly } from "@holdfast/service-runtime/proxy-environment";
import { describeReceipt } from "./describe-receipt.ts";
import { startReceiver } from "./receiver.ts";

type Sandbox = {
  operatorUrl: string;
  receiver: { certFile: string; keyFile: string };
  merchants: { merchantId: string }[];
};

/** Receives a sandbox's webhooks on this machine until it is stopped, and prints each with an explanation. */
export async function runReceiver(args: string[]): Promise<void> {
  const options = parseCommandLine(args);
  if (!options) return;
  callLoopbackDirectly();
  const { home, port, secret, forwardTo } = options;
  const sandbox = readSandbox(home);
  if (secret === undefined) throw new UsageError(howToGetSecret(sandbox, home, port));
  const receiver = await startReceiver({
    cert: readFileSync(sandbox.receiver.certFile),
    key: readFileSync(sandbox.receiver.keyFile),
    port,
    secret,
    forwardTo,
    onReceipt: (receipt) => process.stdout.write(describeReceipt(receipt, new Date())),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new UsageError("the port is in use: choose another with --port", { cause: error });
  });
  const passedOn = forwardTo === undefined ? "" : `, passing them on to ${forwardTo}`;
  process.stdout.write(`receiving webhooks on ${receiver.url}${passedOn}\n`);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void receiver.close().then(() => process.exit(0)));
  }
}

const DEFAULT_PORT = "9443";

type Options = { home: string; port: number; secret: string | undefined; forwardTo: string | undefined };

function parseCommandLine(args: string[]): Options | undefined {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      home: { type: "string", default: ".holdfast" },
      port: { type: "string", default: DEFAULT_PORT },
      secret: { type: "string" },
      forward: { type: "string" },
    },
  });
  if (!line) return undefined;
  const { values } = line;
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
    throw new UsageError("--port must be 0 to 65535");
  if (values.forward !== undefined && !/^https?:$/.test(URL.parse(values.forward)?.protocol ?? ""))
    throw new UsageError("--forward must be an address, such as http://localhost:3000/webhooks");
  return {
    home: resolve(values.home),
    port: Number(values.port),
    secret: values.secret ?? process.env["WEBHOOK_SECRET"],
    forwardTo: values.forward,
  };
}

const HELP = `npm run receiver -- --secret SECRET [--forward URL] [--home DIR] [--port N]

Receives webhooks of the sandbox over HTTPS, verifies each, and explains why one is not authentic.

  --secret SECRET  the webhook secret, which was shown when webhooks were turned on
                   (default: $WEBHOOK_SECRET)
  --forward URL    passes each webhook on, unchanged, to your own server, such as
                   http://localhost:3000/webhooks, and answers the gateway with your server's status
  --home DIR       the sandbox in DIR (default .holdfast)
  --port N         port to listen on (default ${DEFAULT_PORT}; 0 chooses a free one)`;

function readSandbox(home: string): Sandbox {
  const file = join(home, "sandbox.json");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Sandbox;
  } catch {
    throw new UsageError(
      `${file} cannot be read: start the sandbox first (npm start), or give its home with --home`,
    );
  }
}

/** Reads the operator's token from the file: otherwise it would be in the shell's history. */
function howToGetSecret({ operatorUrl, merchants }: Sandbox, home: string, port: number): string {
  const token = `$(node -p 'require("${join(home, "sandbox.json")}").operators[0].token')`;
  return `the webhook secret is required (--secret). Turn webhooks on to get one:

curl -X PUT ${operatorUrl}/operator/merchants/${merchants[0]?.merchantId}/webhook \\
  -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' \\
  -d '{"url": "https://localhost:${port}/webhooks"}'

If webhooks are on and the secret is lost, POST .../webhook/rotate-secret generates a new one.`;
}
