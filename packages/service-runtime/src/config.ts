import { telemetrySettings } from "@holdfast/telemetry";
import { z } from "zod";
import { CONNECTION_TIMEOUT_MS } from "./postgres.ts";

/**
 * Settings come from environment variables, are parsed once by `runService`, before anything is begun, and then are
 * plain values. Every variable of ours has its unit in its value (`15s`; OpenTelemetry's own are milliseconds), and all
 * faults are listed at once, never with the value: it may be a secret.
 */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly code = "invalid_config";
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`the configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

/** @throws ConfigError that names each variable at fault and the form it should have. */
export function parseConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: NodeJS.ProcessEnv,
): z.output<z.ZodObject<Shape>> {
  // An empty variable is how compose files and manifests spell «not set».
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return given[name] === undefined ? `${name} is missing: ${issue.message}` : `${name}: ${issue.message}`;
    }),
  );
}

/** A variable of free text. @param form what it should look like, for the error. */
export function textSetting(form: string) {
  return z.string({ error: form });
}

/** A TCP port; 0 lets the system choose. */
export function portSetting() {
  return integerSetting(0, 65_535);
}

export function integerSetting(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** A duration with its unit, in milliseconds: `250ms`, `15s`, `5m`, `48h`, `7d`. */
export function durationSetting() {
  const error = "must be a duration such as 250ms, 15s, 5m, 48h or 7d";
  return z
    .string({ error })
    .regex(/^\d{1,9}(ms|s|m|h|d)$/, { error })
    .transform((value) => {
      const [, count, unit] = /^(\d+)(\w+)$/.exec(value) ?? [];
      return Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
    });
}

/** Durations separated by commas, growing, in milliseconds: `2s,5s,15s`. */
export function scheduleSetting() {
  const error = "must be growing durations separated by commas, such as 2s,5s,15s";
  return z.string({ error }).transform((value, context): number[] => {
    const steps = value.split(",").map((step) => durationSetting().safeParse(step.trim()).data);
    const known = steps.filter((step) => step !== undefined);
    if (known.length !== steps.length || known.some((step, index) => step <= (known[index - 1] ?? 0))) {
      context.addIssue({ code: "custom", message: error });
      return z.NEVER;
    }
    return known;
  });
}

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function urlSetting(...protocols: string[]) {
  const error = `must be a URL with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`;
  return z
    .string({ error })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error });
}

/** 32 random bytes in base64. */
export function keySetting() {
  const error = "must be 32 bytes in base64";
  return z
    .string({ error })
    .transform((value) => Buffer.from(value, "base64"))
    .refine((key) => key.length === 32, { error });
}

/** Keys by id, the first one active for new work, the rest still accepted while keys are rotated. */
export type KeyRing = { activeId: string; keys: ReadonlyMap<string, Buffer> };

/** `id:base64,id:base64` with 32 bytes each; the first is active. */
export function keyRingSetting() {
  const error = "must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once";
  return z.string({ error }).transform((value, context): KeyRing => {
    const pairs = value.split(",").map((pair) => /^([\w-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(pair.trim()));
    const keys = new Map(
      pairs.flatMap((pair) => (pair ? [[pair[1]!, Buffer.from(pair[2]!, "base64")] as const] : [])),
    );
    if (keys.size === 0 || keys.size !== pairs.length) {
      context.addIssue({ code: "custom", message: error });
      return z.NEVER;
    }
    return { activeId: [...keys.keys()][0]!, keys };
  });
}

/** How a service reaches the bus. In production with a user, over TLS. */
export const busSettings = {
  /** Several servers separated by commas. */
  NATS_URL: textSetting("must be nats://host:port, several separated by commas").regex(
    /^(nats|tls):\/\/[^,]+(,(nats|tls):\/\/[^,]+)*$/,
    { error: "must be nats://host:port, several separated by commas" },
  ),
  /** The service's own user, `payments` for `payments`; what it may do is in deploy/nats/users.conf. */
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  /** PEM file of the authority that signed the servers' certificates. With it the connection is TLS or none. */
  NATS_CA_FILE: z.string().optional(),
  /** PEM files of the service's own certificate and key, for servers that verify their clients. */
  NATS_CERT_FILE: z.string().optional(),
  NATS_KEY_FILE: z.string().optional(),
};

/** Settings that every service has. */
export const commonSettings = {
  ...telemetrySettings,
  /** A request, command or attempt that took longer is kept whatever the ratio of traces says. */
  TRACE_SLOW_AFTER: durationSetting().default(1_000),
  /** Address the listeners bind to. */
  LISTEN_HOST: textSetting("must be an address to listen on").default("0.0.0.0"),
  /** `/livez`, `/readyz` and `/metrics`. */
  HEALTH_PORT: portSetting(),
  /** As the service's runtime role, which can neither alter its schema nor read another's. */
  DATABASE_URL: urlSetting("postgres:", "postgresql:"),
  DATABASE_CONNECTIONS_MAX: integerSetting(2, 200).default(10),
  /** How long a caller waits for a connection; then nothing was begun, which is a 503. */
  DATABASE_CONNECTION_TIMEOUT: durationSetting()
    .refine((timeoutMs) => timeoutMs >= 1, { error: "must be 1ms or more" })
    .default(CONNECTION_TIMEOUT_MS),
  ...busSettings,
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"], { error: "must be debug, info, warn or error" })
    .default("info"),
  /** How long work under way may still run after SIGTERM; shorter than the orchestrator's grace of 35 s. */
  DRAIN_TIMEOUT: durationSetting().default(25_000),
};
