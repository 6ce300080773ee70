/**
 * The one argument parser of all programs: `--help` prints a program's text and ends with 0, a command line that cannot be
 * understood is one line and ends with 2. It imports nothing, so that a program's help costs nothing.
 */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** A command line that cannot be understood; the message says why, in one line. */
export class UsageError extends Error {
  override name = "UsageError";
  readonly code = "usage";
}

type Output = (text: string) => void;
type Description<Options extends ParseArgsOptionsConfig> = { help: string; options: Options };
type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

/**
 * @param out prints the help where it is asked for.
 * @returns undefined if the command line asks for help.
 * @throws UsageError
 */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  { help, options, positionals: allowed = false }: Description<Options> & { positionals?: boolean },
  out: Output = (text) => void process.stdout.write(text),
): Parsed<Options> | undefined {
  if (asksForHelp(args)) {
    out(help.endsWith("\n") ? help : `${help}\n`);
    return undefined;
  }
  try {
    return parseArgs({ args, options, allowPositionals: allowed });
  } catch (error) {
    // Node's second sentence is about arguments that begin with a hyphen.
    const [reason] = (error as Error).message.split(". ");
    throw new UsageError(`${reason!.replace(/\.$/, "")} (--help lists the options)`);
  }
}

function asksForHelp(args: string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).some((arg) => arg === "--help" || arg === "-h");
}

/** @throws UsageError where an option is no whole number. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

/** The work of a program; it returns the exit code. */
export type Program = (
  args: string[],
  env: NodeJS.ProcessEnv,
  out: Output,
) => Promise<number | void> | number | void;

/**
 * Runs a program. An error that it throws is one line and exit code 2.
 *
 * @param options.args replaces this process's arguments.
 * @param options.trace for a developer's program: an error that is not a `UsageError` is printed with its stack, and
 *   ends with 1.
 */
export async function runProgram(
  name: string,
  program: Program,
  { args = process.argv.slice(2), trace = false }: { args?: string[]; trace?: boolean } = {},
): Promise<void> {
  try {
    const out = (text: string) => void process.stdout.write(text);
    const code = await program(args, process.env, out);
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    if (trace && !(error instanceof UsageError)) throw error;
    process.stderr.write(`${name}: ${reasonOf(error)}\n`);
    process.exitCode = 2;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The error says only that the database is out of reach; its cause says why.
  if (error.name === "DatabaseUnavailableError" && error.cause instanceof Error) return error.cause.message;
  // An error of fetch says something only in its cause.
  if (error instanceof TypeError && error.cause instanceof Error)
    return `${error.message}: ${error.cause.message}`;
  return error.message;
}
