import { UsageError } from "@holdfast/service-runtime/command-line";
import { COMMANDS, run, SERVICES, type Start } from "./programs.ts";

/** @throws UsageError */
export function findProgram([what, ...args]: string[]): { start: Start; rest: string[] } {
  if (what === undefined) throw new UsageError("say which program to run; --help lists them");
  const command = Object.hasOwn(COMMANDS, what) ? COMMANDS[what] : undefined;
  if (command) return { start: command.start, rest: args };
  if (what === "run") return { start: run, rest: args };
  const group = Object.hasOwn(SERVICES, what) ? SERVICES[what] : undefined;
  if (!group) throw new UsageError(`there is no program ${JSON.stringify(what)}; --help lists them`);
  const [service = "", ...rest] = args;
  const start = Object.hasOwn(group.of, service) ? group.of[service] : undefined;
  if (start) return { start, rest };
  const names = Object.keys(group.of).join(", ");
  throw new UsageError(`${what} takes one of ${names}, not ${JSON.stringify(service)}`);
}

export const HELP = [
  "holdfast PROGRAM [ARGUMENT...]\n\n",
  ...Object.entries(SERVICES).map(
    ([name, { help, of }]) =>
      `  ${`${name} SERVICE`.padEnd(22)}${help}:\n${" ".repeat(24)}${Object.keys(of).join(", ")}\n`,
  ),
  ...Object.entries(COMMANDS).map(([name, { help }]) => `  ${name.padEnd(22)}${help}\n`),
  "\nSettings come from the environment (docs/settings.md). Commands with options print them with --help.\n",
].join("");
