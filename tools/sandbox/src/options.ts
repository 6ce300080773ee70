// The command line of `npm start`.
import { readCommandLine, UsageError } from "@holdfast/service-runtime/command-line";
import { bankProtocols, type BankProtocol } from "./banks.ts";
import { PLACE_MAX, placeOfBank } from "./ports.ts";

export type CommandLine = {
  home: string;
  portBase: number;
  /** The chosen banks, each once. */
  banks: BankProtocol[];
};

/** @returns undefined if it asks for help, which is printed. @throws UsageError */
export function parseCommandLine(args: string[]): CommandLine | undefined {
  const line = readCommandLine(args, {
    help: helpText,
    options: {
      home: { type: "string", default: DEFAULT_HOME },
      "port-base": { type: "string", default: "8080" },
      banks: { type: "string" },
    },
  });
  if (!line) return undefined;
  const { values } = line;
  if (values.home === "") throw new UsageError("--home needs the name of a directory");
  const portBase = Number(values["port-base"]);
  if (!/^\d{1,5}$/.test(values["port-base"]) || portBase > portBaseMax) {
    throw new UsageError(`--port-base must be 0 (free ports) or a number from 1 to ${portBaseMax}`);
  }
  return { home: values.home, portBase, banks: parseBanks(values.banks) };
}

function parseBanks(list: string | undefined): BankProtocol[] {
  if (list === undefined) return [];
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !isBankProtocol(name));
  if (unknown !== undefined) {
    throw new UsageError(`--banks knows ${bankProtocols.join(", ")}, and not "${unknown}"`);
  }
  return bankProtocols.filter((protocol) => names.includes(protocol));
}

function isBankProtocol(name: string): name is BankProtocol {
  return bankProtocols.some((protocol) => protocol === name);
}

/** The directory of the sandbox's data, unless another is given. */
export const DEFAULT_HOME = ".holdfast";

export const helpText = `npm start -- [--home DIR] [--port-base N] [--banks LIST]

Runs the whole gateway on this machine: PostgreSQL, NATS, an acquirer simulator and the services.

  --home DIR       directory for data, secrets and logs (default .holdfast)
  --port-base N    merchant API on N, operator API on N+1, public pages on N+2,
                   acquirer simulator on N+3, console on N+10, its identity provider
                   on N+11, staff API on N+12 (default 8080); 0 chooses free ports
  --banks LIST     adds banks with other protocols: any of ${bankProtocols.join(",")}.
                   Each has a simulator (${bankProtocols.map((bank, index) => `${bank} on N+${placeOfBank(index)}`).join(", ")}),
                   an account, and a merchant whose payments go there
  --help           prints this text

The services inherit all environment variables except PG* and those that the sandbox sets itself.
`;

const portBaseMax = 65_535 - PLACE_MAX;
