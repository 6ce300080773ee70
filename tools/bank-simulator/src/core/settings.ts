import { z } from "zod";

import type { Protocol } from "./protocol.ts";
import { unkindSchema, type Unkindness } from "./unkindness.ts";

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

/** The settings of every bank's simulator at its start. */
export type BankConfig = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  ledgerFile: string;
  connectionsMax: number;
  hangMs: number;
  latenessMs: number;
  /**
   * The address at which browsers reach the issuer's pages, without a slash at the end; undefined: the API's
   * address.
   */
  publicUrl: string | undefined;
  /** The unkindnesses of the start. */
  unkindness: Partial<Unkindness>;
  /** For tests: the machine's time in epoch milliseconds. */
  machineNow?: (() => number) | undefined;
};

/** The defaults of everything but the ledger's place and the lateness, which differs from protocol to protocol. */
export const bankDefaults: Omit<BankConfig, "ledgerFile" | "latenessMs"> = {
  host: "127.0.0.1",
  port: 0,
  // More connections than every pool of a local installation together; beyond that a leak is likelier than a
  // need.
  connectionsMax: 10_000,
  hangMs: 120_000,
  publicUrl: undefined,
  unkindness: {},
};

type Shape = Readonly<Record<string, z.ZodType>>;

type Read<Own extends Shape> = { [Name in keyof Own]: z.output<Own[Name]> };

/**
 * The settings of a bank, under variables that begin with `prefix`: every bank's settings, and the protocol's
 * own. `configOf` makes the whole configuration from them.
 */
export function bankSettings<Own extends Shape, Config extends BankConfig>(
  prefix: string,
  { latenessMs, lateness }: { latenessMs: number; lateness: string },
  own: Own,
  configOf: (common: BankConfig, own: Read<Own>) => Config,
): Pick<Protocol<Config>, "prefix" | "settings" | "readConfig"> {
  const shape = { ...commonSettings(latenessMs, lateness), ...own };
  const settings = z.object(
    Object.fromEntries(Object.entries(shape).map(([name, setting]) => [`${prefix}_${name}`, setting])),
  );
  const readConfig = (environment: Record<string, string | undefined>) => {
    const read = readEnvironment(settings, environment);
    const value = (name: string) => read[`${prefix}_${name}`] as never;
    const publicUrl = value("PUBLIC_URL") as string | undefined;
    const common = {
      host: value("HOST"),
      port: value("PORT"),
      ledgerFile: value("LEDGER_FILE"),
      connectionsMax: value("CONNECTIONS_MAX"),
      hangMs: value("HANG"),
      latenessMs: value("LATENESS"),
      publicUrl: publicUrl?.replace(/\/$/, ""),
      unkindness: value("UNKINDNESS") as Unkindness,
    };
    return configOf(common, Object.fromEntries(Object.keys(own).map((name) => [name, value(name)])) as never);
  };
  return { prefix, settings, readConfig };
}

function commonSettings(latenessMs: number, lateness: string) {
  return {
    HOST: z.string().min(1).default(bankDefaults.host).describe("The address that the simulator binds to."),
    PORT: port.default(bankDefaults.port).describe("The simulator's port; 0 takes a free one."),
    LEDGER_FILE: z
      .string()
      .min(1)
      .describe(
        "The append-only ledger, created with its folder when it is missing. One process at a time may use it.",
      ),
    CONNECTIONS_MAX: connectionsMax
      .default(bankDefaults.connectionsMax)
      .describe("Open connections; one more is closed as soon as it is opened."),
    HANG: duration
      .default(bankDefaults.hangMs)
      .describe("How long a call that is never answered stays open before its connection is destroyed."),
    LATENESS: duration.default(latenessMs).describe(lateness),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: "must be a URL with http:// or https://" })
      .optional()
      .describe("Where browsers reach the issuer's pages. Without it, the address that callers use."),
    UNKINDNESS: jsonSetting(unkindSchema)
      .prefault("{}")
      .describe(
        "The unkindnesses of every bank that it has at the start, as JSON. `PUT /modes` changes them.",
      ),
  };
}

/** JSON in a variable. The parser's own message would quote the text, which may have passwords. */
export function jsonSetting<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .max(65_536)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue("must be JSON");
        return z.NEVER;
      }
    })
    .pipe(schema);
}
