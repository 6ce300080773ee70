import { isSpanContextValid, trace } from "@holdfast/telemetry";
import { DatabaseError } from "pg";
import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";

/**
 * JSON lines on stdout, written asynchronously. Only the fields of a list are logged: a field that is not on it is
 * dropped, so a card number or a secret handed to the logger by mistake goes nowhere.
 */
export type Logger = PinoLogger;

const LOGGED_FIELDS = new Set([
  "account",
  "actor",
  "ageMs",
  "apiKey",
  "attempt",
  "bus",
  "clientAddress",
  "code",
  "count",
  "currency",
  "dropped",
  "durationMs",
  "error",
  "eventId",
  "fault",
  "head",
  "lagMs",
  "listener",
  "logLevel",
  "merchantId",
  "method",
  "operation",
  "outcome",
  "paymentId",
  "pid",
  "port",
  "reason",
  "refundId",
  "requestId",
  "resultCode",
  "route",
  "server",
  "signal",
  "skewMs",
  "span_id",
  "status",
  "statusCode",
  "subject",
  "trace_id",
  "trigger",
  "validFrom",
  "validTo",
  "version",
]);

let shared: DestinationStream | undefined;

/** One stream for all loggers of a process: two would cut each other's lines. */
const standardOutput = (): DestinationStream => (shared ??= openStandardOutput());

/** Collects lines for a moment instead of writing each; `flushLog` empties the buffer at exit. */
function openStandardOutput(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: false, minLength: 4_096 });
  // The stream's own `periodicFlush` wakes two threads four times a second even if nothing is logged.
  const write = stream.write.bind(stream);
  let flushing: NodeJS.Timeout | undefined;
  const flush = () => {
    flushing = undefined;
    stream.flush();
  };
  // By default it writes the rest at exit and with each fatal line, and without a reader (EPIPE) tries that forever:
  // the process would never end.
  return Object.assign(stream, {
    flushSync: () => {},
    write(line: string) {
      flushing ??= setTimeout(flush, LINES_GATHER_MS).unref();
      return write(line);
    },
  });
}

const LINES_GATHER_MS = 250;

/** Writes the gathered lines before a process ends. It resolves whether or not anything reads them. */
export async function flushLog(log: Pick<Logger, "flush">): Promise<void> {
  const flush = () => new Promise<void>((resolve) => log.flush(() => resolve()));
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, FLUSH_TIMEOUT_MS);
  // The first flush may end with a write that began before the latest lines.
  await Promise.race([flush().then(flush), late.promise]);
  clearTimeout(timer);
}

const FLUSH_TIMEOUT_MS = 1_000;

/** @param destination other than stdout, for tests that read the lines. */
export function createLogger(
  service: string,
  level: string,
  destination: DestinationStream = standardOutput(),
): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: unitOfWork,
      formatters: { level: (label) => ({ level: label }), log: allowedFields },
    },
    destination,
  );
}

/** Every line of a unit of work carries its trace id, unless the line names a trace itself. */
function unitOfWork(): Record<string, unknown> {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

function allowedFields(fields: Record<string, unknown>): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    // An absent field is left out: it is no error with the name "undefined".
    if (value === undefined) continue;
    if (LOGGED_FIELDS.has(name)) allowed[name] = name === "error" ? describeError(value) : value;
  }
  return allowed;
}

/**
 * An error in a form that may be logged. Database errors are reduced to SQLSTATE, table and constraint: their
 * `message`, `detail` and `where` repeat row values.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof DatabaseError) {
    const { name, code, severity, schema, table, constraint, routine } = error;
    return { name, code, severity, schema, table, constraint, routine };
  }
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
