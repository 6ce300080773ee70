// The life of the `npm start` process: start, show the banner, wait for a signal, stop, exit.
import { banner } from "./banner.ts";
import { parseCommandLine } from "./options.ts";
import { SandboxStoppedError, startSandbox, type SandboxOptions } from "./sandbox.ts";
import type { ServiceDefinition } from "./service-definitions.ts";

/** Runs a sandbox until SIGINT or SIGTERM, then exits: 0 when it was stopped, 1 when it failed. @throws UsageError */
export async function runSandbox(
  args: string[],
  services: ServiceDefinition[],
  programs?: SandboxOptions["programs"],
): Promise<void> {
  const commandLine = parseCommandLine(args);
  if (!commandLine) return;
  const { stopSignal, killSignal } = signals();
  try {
    const sandbox = await startSandbox({
      ...commandLine,
      services,
      ...(programs && { programs }),
      stopSignal,
      killSignal,
      log,
    });
    process.stdout.write(banner(sandbox.file, commandLine.home));
    await sandbox.stopped;
  } catch (error) {
    if (error instanceof SandboxStoppedError) process.exit(killSignal.aborted ? 130 : process.exitCode);
    log(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
  process.exit(killSignal.aborted ? 130 : process.exitCode);
}

/** Lines for the person who watches; never a secret, since this may be redirected into a file. */
function log(line: string): void {
  process.stderr.write(`holdfast: ${line}\n`);
}

/** The first signal stops in order, a later one kills. A bug stops in order too, so that no child is left behind. */
function signals(): { stopSignal: AbortSignal; killSignal: AbortSignal } {
  const stop = new AbortController();
  const kill = new AbortController();
  let firstAt = 0;
  const onSignal = () => {
    if (stop.signal.aborted) {
      if (performance.now() - firstAt > sameKeypressMs) kill.abort();
      return;
    }
    firstAt = performance.now();
    log("stopping; press Ctrl-C again to force");
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.exitCode = 1;
      stop.abort();
    });
  }
  // A closed terminal or pipe must not keep the children from being stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  return { stopSignal: stop.signal, killSignal: kill.signal };
}

// The terminal gives Ctrl-C to npm and to this process, and npm passes it on: one keypress arrives twice.
const sameKeypressMs = 500;
