import { isOwnHost, isWrapped, natsWire, postgresWire, type Kept } from "@holdfast/service-runtime";
import type { z } from "zod";

/** A service as evidence is collected of it. */
export type EvidencedService = {
  config: z.ZodObject;
  retention: readonly { table: string; rows?: string; kept: Kept; because: string }[];
  /** `holdfast keys SERVICE status --json` in this environment. */
  keyStatus?: (env: NodeJS.ProcessEnv) => Promise<string>;
};

/** The settings of a running process that an assessor asks about. Of a secret there is its name, or its id, alone. */
export type SettingsEvidence = {
  /** Settings that weaken a measure, each in a sentence. */
  weakening: string[];
  rings: Record<string, Ring>;
  retention: { table: string; kept: string }[];
  /** Settings of sign-ins and decisions, as they are in force. */
  inForce: Record<string, string>;
};

export type Ring = {
  /** Ids of keys, the first of which is used for new work. */
  ids: string[];
  bits: number;
  /** The holder of the key-encrypting key, or that it is given in clear. */
  given: string;
  algorithm: string;
  protects: string;
};

const SEALED = "X25519 on the bus, AES-256-GCM at rest";

/** The use of each ring; each key of all is changed once a year. */
export const RINGS: Readonly<Record<string, Pick<Ring, "algorithm" | "protects">>> = {
  CARD_SEALING_KEYS: {
    algorithm: "AES-256-GCM under keys derived by HKDF-SHA-256",
    protects: "card data on the bus, details of buyers in open checkouts",
  },
  THREE_DS_STATE_KEYS: { algorithm: "HMAC-SHA-256", protects: "addresses of 3-D Secure pages" },
  CREDENTIAL_PEPPERS: { algorithm: "HMAC-SHA-256", protects: "hashes of API secrets" },
  WEBHOOK_SECRET_KEYS: { algorithm: SEALED, protects: "webhook secrets and endpoints' added headers" },
  ACCOUNT_SECRET_KEYS: { algorithm: SEALED, protects: "credentials at banks" },
  FILE_KEYS: { algorithm: SEALED, protects: "banks' files and evidence of chargebacks" },
  CONSOLE_SESSION_KEYS: { algorithm: "AES-256-GCM", protects: "stored tokens and forms of people" },
  PAN_FINGERPRINT_KEYS: { algorithm: "HMAC-SHA-256", protects: "hashes of card numbers" },
};

/**
 * Reads the environment of a process. A setting that it lacks has its default.
 *
 * @param given the environment before wrapped rings were opened
 */
export function readSettings(
  env: NodeJS.ProcessEnv,
  { config, retention }: EvidencedService,
  given: NodeJS.ProcessEnv = env,
): SettingsEvidence {
  const parsed = config.safeParse(env);
  const values: Record<string, unknown> = parsed.success ? parsed.data : {};
  return {
    weakening: [
      ...(parsed.success ? [] : ["the settings could not be read as the service reads them"]),
      ...WEAKENING.flatMap(({ setting, says, isWeak }) =>
        (setting in config.shape || setting in env) && isWeak(values[setting] ?? env[setting], env)
          ? [`${setting}: ${says}`]
          : [],
      ),
    ],
    rings: Object.fromEntries(
      Object.entries(env)
        .filter(([name, value]) => Object.hasOwn(RINGS, name) && value)
        .map(([name, value]) => [name, ringOf(name, value!, given)]),
    ),
    retention: retention.map(({ table, rows, kept }) => ({
      table: rows === undefined ? table : `${table}, ${rows}`,
      kept: describeKept(kept, values),
    })),
    inForce: Object.fromEntries(
      IN_FORCE.filter((name) => name in values).map((name) => [name, describeValue(values[name])]),
    ),
  };
}

function ringOf(name: string, text: string, given: NodeJS.ProcessEnv): Ring {
  const keys = text.split(",").map((pair) => pair.trim().split(":"));
  return {
    ids: keys.map(([id]) => id!),
    bits: Math.min(...keys.map(([, key = ""]) => Buffer.from(key, "base64").length * 8)),
    given: isWrapped(given[name]!) ? `wrapped by ${holderOf(given["KEY_PROVIDER"] ?? "")}` : "in clear",
    ...RINGS[name]!,
  };
}

/** The kind of a key provider, without its address. */
function holderOf(uri: string): string {
  if (uri.startsWith("pkcs11:")) return "a key in a PKCS #11 device";
  if (!uri.startsWith("file:")) return "a key of a key management service";
  return uri.includes(",") ? "a key in two files" : "a key in a file";
}

type Weakening = {
  setting: string;
  says: string;
  isWeak: (value: unknown, env: NodeJS.ProcessEnv) => boolean;
};

const isSet = (value: unknown) => describeValue(value) !== "none";
const isOff = (value: unknown) => value === false || value === "false";
const isLongerThan = (ms: number) => (value: unknown) => typeof value === "number" && value > ms;
const MINUTES_15 = 900_000;

const WEAKENING: readonly Weakening[] = [
  { setting: "ALLOW_PLAINTEXT", says: "connections to other machines may use plain text", isWeak: isSet },
  {
    setting: "ALLOW_SIMULATOR",
    says: "live payments may go to the simulator",
    isWeak: (value) => value === "live",
  },
  { setting: "KEYS_ABANDONED", says: "rows need keys that are gone", isWeak: isSet },
  {
    setting: "WEBHOOK_ALLOWED_CIDRS",
    says: "webhooks may go to addresses that are not public",
    isWeak: (_value, env) => isSet(env["WEBHOOK_ALLOWED_CIDRS"]),
  },
  {
    setting: "ACCOUNT_CHANGES_TWO_PEOPLE",
    says: "one person alone changes accounts at banks",
    isWeak: isOff,
  },
  { setting: "FILE_CHANGES_TWO_PEOPLE", says: "one person alone makes a bank's file count", isWeak: isOff },
  {
    setting: "OPERATOR_REQUIRED_AMR",
    says: "operators' tokens need not prove a second factor",
    isWeak: (value, env) =>
      isSet(env["OPERATOR_JWKS"]) && !isSet(value) && !isSet(env["OPERATOR_REQUIRED_ACR"]),
  },
  {
    setting: "STAFF_REQUIRED_AMR",
    says: "tokens of merchants' staff need not prove a second factor",
    isWeak: (value, env) => isSet(env["STAFF_JWKS"]) && !isSet(value) && !isSet(env["STAFF_REQUIRED_ACR"]),
  },
  {
    setting: "AUDIT_ANCHOR_URL",
    says: "heads of the audit log go to the log alone",
    isWeak: (value) => !isSet(value),
  },
  {
    setting: "TLS_CERT_FILE",
    says: "the listener uses plain HTTP, and not on this machine alone",
    isWeak: (value, env) => !isSet(value) && !isOwnHost(env["LISTEN_HOST"] ?? ""),
  },
  {
    setting: "LOG_LEVEL",
    says: "the log is more talkative than it should be",
    isWeak: (value) => value === "debug",
  },
  {
    setting: "LOG_LEVEL",
    says: "requests that succeed are not in the log",
    isWeak: (value) => value === "warn" || value === "error",
  },
  ...[
    "OPERATOR_DECISION_SIGN_IN_AGE_MAX",
    "OPERATOR_DECISION_ISSUED_AGE_MAX",
    "STAFF_DECISION_SIGN_IN_AGE_MAX",
    "STAFF_DECISION_ISSUED_AGE_MAX",
    "DECISION_LOGIN_AGE_MAX",
  ].map((setting) => ({
    setting,
    says: "a decision about money needs no sign-in of the last 15 minutes",
    isWeak: isLongerThan(MINUTES_15),
  })),
  ...["OPERATOR_TOKEN_AGE_MAX", "STAFF_TOKEN_AGE_MAX"].map((setting) => ({
    setting,
    says: "a token is valid for longer than an hour",
    isWeak: isLongerThan(4 * MINUTES_15),
  })),
  {
    setting: "DATABASE_URL",
    says: "PostgreSQL, on another machine, is not checked by its certificate",
    isWeak: (value) => typeof value === "string" && !postgresWire("DATABASE_URL", value).isSafe,
  },
  {
    setting: "NATS_URL",
    says: "the bus, on another machine, is reached without TLS",
    isWeak: (value, env) =>
      typeof value === "string" && !natsWire({ NATS_URL: value, NATS_CA_FILE: env["NATS_CA_FILE"] }).isSafe,
  },
];

const IN_FORCE = [
  ...new Set(WEAKENING.map(({ setting }) => setting).filter((name) => !/_(?:URL|CIDRS)$/.test(name))),
  "CREDENTIAL_AGE_MAX",
  "ACQUIRER_HOSTS",
  "REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR",
  "OPERATOR_REQUIRED_ACR",
  "STAFF_REQUIRED_ACR",
  "FAILED_SIGN_INS_PER_MINUTE_PER_IP",
  "FAILED_SIGN_INS_PER_MINUTE_PER_KEY",
  "SESSION_IDLE",
  "SESSION_MAX",
];

function describeValue(value: unknown): string {
  if (value === undefined || value === null || value === "" || value === "none") return "none";
  if (value instanceof Set || Array.isArray(value))
    return [...(value as Iterable<unknown>)].join(", ") || "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function describeKept(kept: Kept, values: Record<string, unknown>): string {
  if (kept === "in use") return "while it is in use, whatever its age";
  if ("years" in kept) return `${kept.years} years`;
  if ("with" in kept) return `as long as ${kept.with}`;
  if ("ms" in kept) return describeMs(kept.ms);
  const value = values[kept.setting];
  if (typeof value !== "number") return `${kept.setting}, which could not be read`;
  return `${kept.setting.endsWith("_DAYS") ? `${value} d` : describeMs(value)} (${kept.setting})`;
}

function describeMs(ms: number): string {
  return ms % 86_400_000 === 0
    ? `${ms / 86_400_000} d`
    : ms % 3_600_000 === 0
      ? `${ms / 3_600_000} h`
      : `${ms / 60_000} min`;
}
