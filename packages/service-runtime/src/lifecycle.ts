import { ConfigError } from "./config.ts";
import { createLogger, describeError, type Logger } from "./logger.ts";

/** A running service: `stop` takes no new work, lets work under way end, and lets go of everything. */
export type RunningService = { stop(): Promise<void> };

/**
 * The life of a service process: start, wait for SIGTERM or SIGINT, drain, exit 0. Whatever is thrown and not caught
 * ends the process with 1: it would otherwise go on in a state nobody has thought of, and the supervisor starts it anew.
 */
export async function runService(
  name: string,
  start: (log: Logger) => Promise<RunningService>,
): Promise<void> {
  // What `--disable-proto=delete` does, however the process was started: an own `__proto__` of parsed JSON that some
  // library assigns becomes a plain property instead of a prototype.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  const log = createLogger(name, process.env["LOG_LEVEL"] ?? "info");
  const die = (message: string) => (error: unknown) => {
    log.fatal({ error }, message);
    exit(log, 1);
  };
  process.once("uncaughtException", die("uncaught exception"));
  process.once("unhandledRejection", die("unhandled rejection"));

  const stopSignal = Promise.withResolvers<NodeJS.Signals>();
  process.once("SIGTERM", stopSignal.resolve);
  process.once("SIGINT", stopSignal.resolve);

  let service: RunningService | undefined;
  try {
    // A start can wait for the bus for ever; told to stop meanwhile there is nothing to drain.
    service = await Promise.race([start(log), stopSignal.promise.then(() => undefined)]);
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${name}: ${error.message}\n`);
    else process.stderr.write(`${name}: ${JSON.stringify(describeError(error))}\n`);
    return die("could not start")(error);
  }
  if (!service) {
    log.info("stopped before it had started");
    return exit(log, 0);
  }
  log.info({ pid: process.pid }, "started");
  const signal = await stopSignal.promise;
  log.info({ signal }, "draining");
  try {
    await service.stop();
    log.info("stopped");
  } catch (error) {
    return die("could not stop cleanly")(error);
  }
  exit(log, 0);
}

/** Ends the process once the log is written, or when nobody reads it any more. */
function exit(log: Logger, code: number): void {
  log.flush(() => process.exit(code));
  setTimeout(() => process.exit(code), FLUSH_TIMEOUT_MS);
}

const FLUSH_TIMEOUT_MS = 1_000;
