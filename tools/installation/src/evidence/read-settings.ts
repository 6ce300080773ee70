import { isTlsBus, isVerifiedPostgres, type Kept } from "@holdfast/service-runtime";
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
  /** Ids of keys, the first of which is used for new work. */
  rings: Record<string, string[]>;
  retention: { table: string; kept: string }[];
  /** Settings of sign-ins and decisions, as they are in force. */
  inForce: Record<string, string>;
};

/** Reads the environment of a process. A setting that it lacks has its default. */
export function readSettings(
  env: NodeJS.ProcessEnv,
  { config, retention }: EvidencedService,
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
        .filter(([name, value]) => /_(?:KEYS|PEPPERS)$/.test(name) && value)
        .map(([name, value]) => [name, value!.split(",").map((key) => key.split(":")[0]!.trim())]),
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
  { setting: "TLS_CERT_FILE", says: "the listener uses plain HTTP", isWeak: (value) => !isSet(value) },
  {
    setting: "LOG_LEVEL",
    says: "the log is more talkative than it should be",
    isWeak: (value) => value === "debug" || value === "trace",
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
    says: "PostgreSQL is not checked by its certificate",
    isWeak: (value) => typeof value === "string" && !isVerifiedPostgres(value),
  },
  {
    setting: "NATS_URL",
    says: "the bus is reached without TLS",
    isWeak: (value, env) =>
      typeof value === "string" && !isTlsBus({ NATS_URL: value, NATS_CA_FILE: env["NATS_CA_FILE"] }),
  },
];

const IN_FORCE = [
  ...WEAKENING.map(({ setting }) => setting).filter((name) => !name.endsWith("_URL")),
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
  if (kept === "in use") return "while it is in use";
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
