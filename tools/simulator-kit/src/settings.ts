import { z } from "zod";

/** Reports every fault of the environment in one message. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "invalid_config";
}

/** @throws ConfigError that names every fault. */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.output<Schema> {
  const parsed = schema.safeParse(environment);
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error));
  return parsed.data;
}

const millisecondsPerUnit: Record<string, number> = { ms: 1, s: 1_000, m: 60_000 };

/** A duration with its unit, in milliseconds: `500ms`, `120s`, `2m`; one hour at most. */
export const duration = z
  .string()
  .regex(/^\d{1,6}(ms|s|m)$/, "must be a duration such as 500ms, 120s or 2m")
  .transform(
    (text) => Number.parseInt(text, 10) * (millisecondsPerUnit[text.replace(/^\d+/, "")] ?? Number.NaN),
  )
  .pipe(z.int().max(3_600_000, "must be one hour at most"));

export const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number")
  .transform(Number)
  .pipe(z.int().max(65_535, "must be a port number"));

export const connectionsMax = z
  .string()
  .regex(/^\d{1,6}$/, "must be a number of connections")
  .transform(Number)
  .pipe(z.int().min(1));
