import { startTelemetry, type Telemetry } from "@holdfast/telemetry/start";
import type { z } from "zod";
import { unwrapRings } from "../keys/wrapped-ring.ts";
import { parseConfig, ConfigError, type processSettings } from "../settings/config.ts";
import { unknownPlaintext } from "../settings/plaintext.ts";
import { createLogger, describeError, flushLog, type Logger } from "./logger.ts";
import { nextStopSignal } from "./stop-signals.ts";

/** A running service: `stop` accepts no new work, lets work under way finish, and closes everything. */
export type RunningService = { stop(): Promise<void> };

export type ServiceProgram<Shape extends typeof processSettings> = {
  /** The process's name in logs and its `service.name`. */
  name: string;
  config: z.ZodObject<Shape>;
  /** Accepts requests from outside. */
  isEdge?: boolean;
  start: (config: z.output<z.ZodObject<Shape>>, log: Logger) => Promise<RunningService>;
};

/** A service whose settings are not read yet. */
export type Service = {
  name: string;
  isEdge: boolean;
  /** @returns undefined if there is a fault, which it has printed. */
  read(env: NodeJS.ProcessEnv): Promise<ConfiguredService | undefined>;
};

type ConfiguredService = {
  settings: z.output<z.ZodObject<typeof processSettings>>;
  start: (log: Logger) => Promise<RunningService>;
};

export function defineService<Shape extends typeof processSettings>({
  name,
  config: schema,
  isEdge = false,
  start,
}: ServiceProgram<Shape>): Service {
  return {
    name,
    isEdge,
    async read(env) {
      const config = await settingsOf(name, schema, env);
      return (
        config && {
          settings: config as z.output<z.ZodObject<typeof processSettings>>,
          start: async (log) => await start(config, log),
        }
      );
    },
  };
}

/** Runs one service, which takes its settings from the environment. */
export async function runService<Shape extends typeof processSettings>(
  program: ServiceProgram<Shape>,
): Promise<void> {
  await runServices([{ service: defineService(program), env: process.env }]);
}

/**
 * The life of a process with one or several services: read the settings, start telemetry and then the
 * services, wait for SIGTERM or SIGINT, drain, exit 0. A missing or malformed setting ends it before anything
 * starts, with every fault on standard error. An uncaught error ends the process with 1, since its state
 * would be unpredictable, and the supervisor starts it again.
 */
export async function runServices(chosen: { service: Service; env: NodeJS.ProcessEnv }[]): Promise<void> {
  // The effect of `--disable-proto=delete` for every way to start the process: an own `__proto__` of parsed JSON that
  // some library assigns becomes a plain property instead of a prototype.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  const configured = await Promise.all(
    chosen.map(async ({ service, env }) => ({ service, configured: await service.read(env) })),
  );
  const services = configured.flatMap((each) =>
    each.configured ? [{ ...each.service, ...each.configured }] : [],
  );
  const [first] = services;
  if (!first || services.length < configured.length) return;
  const name = services.length === 1 ? first.name : "holdfast";
  const log = createLogger(name, first.settings.LOG_LEVEL);
  const unheardOf = new Set(chosen.flatMap(({ env }) => unknownPlaintext(env["ALLOW_PLAINTEXT"])));
  for (const unknown of unheardOf) log.warn(unknown);
  const die = (message: string) => (error: unknown) => {
    log.fatal({ error }, message);
    exit(log, 1);
  };
  process.once("uncaughtException", die("uncaught exception"));
  process.once("unhandledRejection", die("unhandled rejection"));

  const stopSignal = nextStopSignal();

  let running: RunningService[] | undefined;
  let telemetry: Telemetry;
  try {
    telemetry = await startTelemetry({
      name,
      isEdge: services.some(({ isEdge }) => isEdge),
      settings: first.settings,
      onTrouble: (reason) => log.warn({ operation: "telemetry", reason }, "telemetry could not be exported"),
    });
    const starting = services.map(async (each) => {
      return await each.start(services.length === 1 ? log : createLogger(each.name, each.settings.LOG_LEVEL));
    });
    // A start can wait for the bus forever; when it is stopped meanwhile there is nothing to drain.
    running = await Promise.race([Promise.all(starting), stopSignal.then(() => undefined)]);
  } catch (error) {
    process.stderr.write(`${name}: ${JSON.stringify(describeError(error))}\n`);
    return die("could not start")(error);
  }
  if (!running) {
    log.info("stopped before it had started");
    return exit(log, 0);
  }
  log.info({ pid: process.pid }, "started");
  const signal = await stopSignal;
  log.info({ signal }, "draining");
  try {
    // A service that fails to stop does not interrupt the others' work.
    const stopped = await Promise.allSettled(running.map(async (service) => await service.stop()));
    const failed = stopped.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
    await telemetry.stop(TELEMETRY_STOP_TIMEOUT_MS);
    log.info("stopped");
  } catch (error) {
    return die("could not stop cleanly")(error);
  }
  exit(log, 0);
}

/** Ends the process when the log has been written, or no longer has a reader. */
function exit(log: Logger, code: number): void {
  void flushLog(log).then(() => process.exit(code));
}

/** Part of the time between the end of the drain (30 s) and of the orchestrator's grace (45 s). */
const TELEMETRY_STOP_TIMEOUT_MS = 1_500;

/** @returns undefined, and the process's exit code set, when there is a fault. */
async function settingsOf<Shape extends z.ZodRawShape>(
  name: string,
  schema: z.ZodObject<Shape>,
  env: NodeJS.ProcessEnv,
): Promise<z.output<z.ZodObject<Shape>> | undefined> {
  try {
    return parseConfig(schema, await unwrapRings(schema.shape, env));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 1;
    return undefined;
  }
}
