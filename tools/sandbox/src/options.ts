// The command line of `npm start`.
import { parseArgs } from "node:util";

export type CommandLine = { kind: "run"; home: string; portBase: number } | { kind: "help" };

/** A command line that cannot be understood; the message says how it should look. */
export class UsageError extends Error {
  override name = "UsageError";
  readonly code = "usage";
}

/** @throws UsageError */
export function parseCommandLine(args: string[]): CommandLine {
  const values = parse(args);
  if (values.help) return { kind: "help" };
  if (values.home === "") throw new UsageError("--home needs the name of a directory");
  const portBase = Number(values["port-base"]);
  if (!/^\d{1,5}$/.test(values["port-base"]) || portBase > portBaseMax) {
    throw new UsageError(`--port-base must be 0 (free ports) or a number from 1 to ${portBaseMax}`);
  }
  return { kind: "run", home: values.home, portBase };
}

export const helpText = `npm start -- [--home DIR] [--port-base N]

Runs the whole gateway on this machine: PostgreSQL, NATS, an acquirer simulator and the services.

  --home DIR       directory for data, secrets and logs (default .holdfast)
  --port-base N    merchant API on N, operator API on N+1, public pages on N+2,
                   acquirer simulator on N+3 (default 8080); 0 chooses free ports
  --help           prints this text

The services inherit all environment variables except PG* and those that the sandbox sets itself.
`;

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        home: { type: "string", default: ".holdfast" },
        "port-base": { type: "string", default: "8080" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

// Four ports are used from here on.
const portBaseMax = 65_532;
