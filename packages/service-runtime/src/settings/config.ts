import { telemetrySettings } from "@holdfast/telemetry";
import { z } from "zod";
import { keyProviderSettings } from "./key-provider-settings.ts";
import { plaintextSettings } from "./plaintext.ts";

/**
 * Settings come from environment variables. `runService` parses them once, before anything begins, and then
 * they are plain values. Every variable of ours has its unit in its value (`15s`; OpenTelemetry's own are
 * milliseconds). All faults are listed together, without the values, which may be secret. A setting's meaning
 * is its `.describe()`, the last call on its schema; docs/settings.md is generated from the schemas.
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
  // An empty variable is how compose files and manifests spell "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  // Node's own switch would accept any certificate, of banks and of the database alike.
  if (given["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    throw new ConfigError(["NODE_TLS_REJECT_UNAUTHORIZED: may not be 0, since no peer would be verified"]);
  const gone = Object.entries(goneSettings.get(schema) ?? {})
    .filter(([name]) => name in given)
    .map(([name, instead]) => `${name} is gone: ${instead}`);
  const parsed = schema.safeParse(given);
  const shared = parsed.success ? sharedKeys(parsed.data) : [];
  if (parsed.success && gone.length + shared.length === 0) return parsed.data;
  const faults = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    return given[name] === undefined ? `${name} is missing: ${issue.message}` : `${name}: ${issue.message}`;
  });
  throw new ConfigError([...gone, ...faults, ...shared]);
}

/**
 * Former settings of a program, each with its replacement. A given one stops the start, because whoever set it
 * counts on it.
 */
export const goneSettings = z.registry<Record<string, string>>();

/** A variable of free text. @param form the right form, for the error. */
export function textSetting(form: string) {
  return z.string({ error: form });
}

/** A TCP port; 0 lets the system choose. */
export function portSetting() {
  return integerSetting(0, 65_535);
}

/** A part of a whole, more than nothing. */
export function shareSetting() {
  const error = "must be a number more than 0 and at most 1, such as 0.25";
  return z
    .string({ error })
    .regex(/^[01](\.\d{1,6})?$/, { error })
    .transform(Number)
    .refine((value) => value > 0 && value <= 1, { error });
}

export function integerSetting(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** A duration with its unit, in milliseconds: `250ms`, `15s`, `5m`, `48h`, `7d`. The bounds are durations, too. */
export function durationSetting({ min = "0ms", max }: { min?: string; max?: string } = {}) {
  const bounds = max ? `, from ${min} to ${max}` : min === "0ms" ? "" : `, at least ${min}`;
  const error = `must be a duration such as 250ms, 15s, 5m, 48h or 7d${bounds}`;
  const [minMs, maxMs] = [milliseconds(min), max === undefined ? Infinity : milliseconds(max)];
  return z
    .string({ error })
    .regex(/^\d{1,9}(ms|s|m|h|d)$/, { error })
    .transform(milliseconds)
    .refine((durationMs) => durationMs >= minMs && durationMs <= maxMs, { error });
}

function milliseconds(duration: string): number {
  const [, count, unit] = /^(\d+)(\w+)$/.exec(duration) ?? [];
  return Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
}

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

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

export function urlSetting(...protocols: string[]) {
  const error = `must be a URL with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`;
  return (
    z
      .string({ error })
      .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error })
      // PostgreSQL's own clients accept several hosts and look for the primary among them; ours accepts one
      // name, which has to lead there.
      .refine((value) => !URL.canParse(value) || !new URL(value).hostname.includes(","), {
        error: "must name one host: for PostgreSQL the name that always leads to the primary",
      })
  );
}

/** Keys by id, the first one active for new work, the rest still accepted while keys are rotated. */
export type KeyRing = { activeId: string; keys: ReadonlyMap<string, Buffer> };

/** `id:base64,id:base64` with 32 random bytes each; the first is active. */
export function keyRingSetting() {
  const error = "must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once";
  return z.string({ error }).transform((value, context): KeyRing => {
    const pairs = value.split(",").map((pair) => /^([\w-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(pair.trim()));
    const keys = new Map(
      pairs.flatMap((pair) => (pair ? [[pair[1]!, Buffer.from(pair[2]!, "base64")] as const] : [])),
    );
    const fault =
      keys.size === 0 || keys.size !== pairs.length
        ? error
        : [...keys.values()].some(isPredictable)
          ? "has a key that is not random; generate each with openssl rand -base64 32"
          : new Set([...keys.values()].map((key) => key.toString("hex"))).size < keys.size
            ? "has one key under two ids"
            : undefined;
    if (fault) {
      context.addIssue({ code: "custom", message: fault });
      return z.NEVER;
    }
    return { activeId: [...keys.keys()][0]!, keys };
  });
}

/** Tells a key of zeros or of a repeated word: 32 random bytes have fewer than 16 different ones once in 10^13 keys. */
export const isPredictable = (key: Buffer) => new Set(key).size < 16;

/** The settings that share a key with one before them: each key has one purpose. */
function sharedKeys(settings: Record<string, unknown>): string[] {
  const owners = new Map<string, string>();
  const faults = new Set<string>();
  for (const [name, value] of Object.entries(settings)) {
    if (!isKeyRing(value)) continue;
    for (const key of value.keys.values()) {
      const owner = owners.get(key.toString("hex")) ?? name;
      owners.set(key.toString("hex"), owner);
      if (owner !== name) faults.add(`${name}: has a key of ${owner}; each needs keys of its own`);
    }
  }
  return [...faults];
}

function isKeyRing(value: unknown): value is KeyRing {
  return typeof value === "object" && value !== null && "keys" in value && value.keys instanceof Map;
}

/** Settings of services whose rows need the keys of a ring. */
export const ringSettings = {
  KEYS_ABANDONED: keyIdsSetting()
    .prefault("")
    .describe(
      "Ids of keys that are lost or may no longer be used, although rows still need them: the service starts without them, and what needs them is refused ([keys.md](keys.md)).",
    ),
};

function keyIdsSetting() {
  const error = "must be ids of keys separated by commas";
  return z
    .string({ error })
    .regex(/^([\w-]{1,32}(,[\w-]{1,32})*)?$/, { error })
    .transform((value): ReadonlySet<string> => new Set(value.split(",").filter((id) => id !== "")));
}

/** A service's connection to the bus, in production with a user and over TLS. */
export const busSettings = {
  NATS_URL: textSetting("must be nats://host:port, several separated by commas")
    .regex(/^(nats|tls):\/\/[^,]+(,(nats|tls):\/\/[^,]+)*$/, {
      error: "must be nats://host:port, several separated by commas",
    })
    .describe("The NATS servers."),
  NATS_USER: z
    .string()
    .optional()
    .describe(
      "The service's own user on the bus, such as `payments`; `deploy/nats/users.conf` has its permissions.",
    ),
  NATS_PASSWORD: z.string().optional().describe("The password of that user."),
  NATS_CA_FILE: z
    .string()
    .optional()
    .describe(
      "PEM file of the authority that signed the servers' certificates. When it is set, or `NATS_URL` is `tls://`, the service connects over TLS only.",
    ),
  NATS_CERT_FILE: z
    .string()
    .optional()
    .describe("PEM file of the service's own certificate, for servers that verify their clients."),
  NATS_KEY_FILE: z.string().optional().describe("PEM file of that certificate's private key."),
};

/** Services fail fast: a caller that gets no connection within a second is answered so (503) instead of queueing. */
export const CONNECTION_TIMEOUT_MS = 1_000;

/** Settings that every service has, whether or not it is on the bus. */
export const processSettings = {
  ...telemetrySettings,
  TRACE_SLOW_AFTER: durationSetting()
    .default(1_000)
    .describe(
      "A request, command or webhook attempt that takes longer is traced whatever the sampling ratio.",
    ),
  LISTEN_HOST: textSetting("must be an address to listen on")
    .default("::")
    .describe("The address that the listeners bind to; `::` is every address, of IPv4 too."),
  HEALTH_PORT: portSetting().describe("The port of `/livez`, `/readyz` and `/metrics`."),
  DATABASE_URL: urlSetting("postgres:", "postgresql:").describe(
    "PostgreSQL, as the service's runtime role, which can neither alter its schema nor read another service's.",
  ),
  DATABASE_CONNECTIONS_MAX: integerSetting(2, 200)
    .default(10)
    .describe("The size of the service's main connection pool."),
  DATABASE_CONNECTION_TIMEOUT: durationSetting({ min: "1ms" })
    .default(CONNECTION_TIMEOUT_MS)
    .describe(
      "How long a request waits for a connection to PostgreSQL; after that it is answered 503. The default refuses an overload before its callers queue up; `5s` fits where services and database share the processors of one machine, as in compose. Lists, which have connections of their own, wait five times as long.",
    ),
  CLOCK_INTERVAL: durationSetting({ min: "1s", max: "5m" })
    .default(60_000)
    .describe(
      "How often the machine's clock is compared with PostgreSQL's, beside each `/readyz`, which does so, too, and within 5 s after the machine's clock was set.",
    ),
  ...keyProviderSettings,
  ...plaintextSettings,
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"], { error: "must be debug, info, warn or error" })
    .default("info")
    .describe("The lowest level that is logged."),
  DRAIN_TIMEOUT: durationSetting()
    .default(30_000)
    .describe(
      "How long work under way may continue after SIGTERM. It must be shorter than the orchestrator's grace period (45 s in `deploy/k8s`).",
    ),
};

/** Settings of every service that is on the bus. */
export const commonSettings = { ...processSettings, ...busSettings };
