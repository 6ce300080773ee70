import { createLogger, type Logger } from "@holdfast/service-runtime";

export type CapturedLog = { log: Logger; /** Grows as lines are written. */ lines: LogLine[] };
export type LogLine = Record<string, unknown>;

/** The services' own logger, its lines kept instead of written to stdout. */
export function captureLog(service: string): CapturedLog {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  return { log: createLogger(service, "debug", destination), lines };
}
