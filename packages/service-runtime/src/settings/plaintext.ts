import { isIP } from "node:net";
import { z } from "zod";
import { nearestName } from "./nearest-name.ts";

/** The connections and listeners that may be without TLS where `ALLOW_PLAINTEXT` names them. */
export const PLAINTEXT_NAMES = [
  "acquirer",
  "postgres",
  "nats",
  "operator-jwks",
  "staff-jwks",
  "audit-anchor",
  "public-url",
  "merchant-api",
  "operator-api",
  "staff-api",
  "identity-provider",
  "console",
  "public-pages",
] as const;
export type PlaintextName = (typeof PLAINTEXT_NAMES)[number];
export type AllowedPlaintext = ReadonlySet<PlaintextName>;

/** `ALLOW_PLAINTEXT`: names separated by commas. It shows the reader of a deployment what is not encrypted. */
export const plaintextSettings = {
  ALLOW_PLAINTEXT: allowedSetting()
    .prefault("")
    .describe(
      `What may go unencrypted although it leaves this machine: ${PLAINTEXT_NAMES.map((name) => `\`${name}\``).join(", ")}. Everything else needs TLS, with certificates that are checked, unless its host is \`localhost\`, an address of this machine's own or a Unix socket. For development; leave it empty in production.`,
    ),
};

function allowedSetting() {
  return z
    .string({ error: `must be names separated by commas, of ${PLAINTEXT_NAMES.join(", ")}` })
    .transform((value): AllowedPlaintext => new Set(namesIn(value).filter(isPlaintextName)));
}

function namesIn(value: string): string[] {
  return value.split(",").flatMap((name) => name.trim() || []);
}

/**
 * A sentence for each name that this version does not know: a misspelled name, or a newer version's when an
 * older one is started after a rollback. An unknown name allows nothing, so the process starts anyway: a
 * connection that needs it is refused under its own name.
 */
export function unknownPlaintext(value = ""): string[] {
  return namesIn(value)
    .filter((name) => !isPlaintextName(name))
    .map((name) => {
      const meant = nearestName(name, PLAINTEXT_NAMES);
      return `ALLOW_PLAINTEXT names ${name}, which this version does not know${meant ? `; did you mean ${meant}?` : ""}`;
    });
}

function isPlaintextName(name: string): name is PlaintextName {
  return (PLAINTEXT_NAMES as readonly string[]).includes(name);
}

/** One connection or listener of a program. */
export type Wire = {
  /** The setting that has to be mended. */
  setting: string;
  name: PlaintextName;
  /** True for a wire that is encrypted, or stays on this machine. */
  isSafe: boolean;
  /** The right value, for the error. */
  mend: string;
};

/** A check of a configuration: every wire is safe, or `ALLOW_PLAINTEXT` names it. */
export function refusePlaintext<Settings extends { ALLOW_PLAINTEXT: AllowedPlaintext }>(
  wiresOf: (settings: Settings) => readonly (Wire | undefined)[],
) {
  return ({ value, issues }: z.core.ParsePayload<Settings>): void => {
    for (const wire of wiresOf(value)) {
      if (!wire || wire.isSafe || value.ALLOW_PLAINTEXT.has(wire.name)) continue;
      issues.push({
        code: "custom",
        input: undefined,
        path: [wire.setting],
        message: `${wire.mend}, unless ALLOW_PLAINTEXT names ${wire.name}`,
      });
    }
  };
}

/**
 * A URL's connection. Without a URL, such as when the setting is a file's path, there is nothing to encrypt.
 */
export function webWire(setting: string, name: PlaintextName, url: string | undefined): Wire | undefined {
  if (url === undefined) return undefined;
  return { setting, name, isSafe: !/^http:/i.test(url) || isSafeWebUrl(url), mend: "must be https://" };
}

/** True if a URL is https, or leads to this machine. */
export function isSafeWebUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isOwnHost(hostname);
}

/**
 * PostgreSQL. Only a URL that has the server's certificate checked counts: with `require` and less, an attacker on the
 * way may pose as the server. Other variables (`PGSSLMODE`, `PGHOST`) do not count, so a URL has to say it itself.
 */
export function postgresWire(setting: string, url: string): Wire {
  const { hostname, searchParams } = new URL(url);
  const hosts = [hostname, ...searchParams.getAll("host")].flatMap((host) => host || []);
  const isOwn = hosts.length > 0 && hosts.every((host) => isOwnHost(host.replaceAll(/%2f/gi, "/")));
  return {
    setting,
    name: "postgres",
    isSafe: isVerifiedPostgres(url) || isOwn,
    mend: "must end in ?sslmode=verify-full, with &sslrootcert=FILE for an authority of your own",
  };
}

/** True if a connection by this URL uses TLS and checks the server's certificate. */
export function isVerifiedPostgres(url: string): boolean {
  const modes = new URL(url).searchParams.getAll("sslmode");
  return modes.length > 0 && modes.every((mode) => mode === "verify-full" || mode === "verify-ca");
}

/** NATS: several URLs separated by commas. A `tls://` among them, or files for TLS, have the client insist on it for all. */
export function natsWire(settings: BusTlsSettings): Wire {
  const hosts = settings.NATS_URL.split(",").map((url) =>
    URL.canParse(url.trim()) ? new URL(url.trim()).hostname : "",
  );
  return {
    setting: "NATS_URL",
    name: "nats",
    isSafe: isTlsBus(settings) || hosts.every(isOwnHost),
    mend: "must be tls://, or NATS_CA_FILE be set",
  };
}

type BusTlsSettings = { NATS_URL: string; NATS_CA_FILE?: string | undefined };

/** True if the client insists on TLS. */
export function isTlsBus({ NATS_URL, NATS_CA_FILE }: BusTlsSettings): boolean {
  return NATS_CA_FILE !== undefined || /(^|,)tls:/.test(NATS_URL);
}

/** The wires of every service. */
export function commonWires(settings: {
  DATABASE_URL: string;
  NATS_URL: string;
  NATS_CA_FILE?: string | undefined;
}): Wire[] {
  return [postgresWire("DATABASE_URL", settings.DATABASE_URL), natsWire(settings)];
}

/** A listener, which is off without a port. */
export function listenerWire(
  setting: string,
  name: PlaintextName,
  listener: { port: number | undefined; host: string; certFile: string | undefined },
): Wire | undefined {
  if (listener.port === undefined) return undefined;
  return {
    setting,
    name,
    isSafe: listener.certFile !== undefined || isOwnHost(listener.host),
    mend: "needs TLS_CERT_FILE and TLS_KEY_FILE, or a LISTEN_HOST of this machine alone",
  };
}

/** `localhost`, a loopback address in any spelling of a URL, or the path of a Unix socket. */
export function isOwnHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare.startsWith("/")) return true;
  return isIP(bare) === 4 ? bare.startsWith("127.") : isIP(bare) === 6 && OWN_IPV6.test(bare);
}

/** ::1, and 127.0.0.0/8 written as IPv6: `::ffff:127.0.0.1`, which a URL spells `::ffff:7f00:1`. */
const OWN_IPV6 = /^(::1|0:0:0:0:0:0:0:1|::ffff:(127\.[\d.]+|7f[\da-f]{2}:[\da-f]{1,4}))$/;
