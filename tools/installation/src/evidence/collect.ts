import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { verifyAudit } from "@holdfast/audit";
import { unwrapRings, type TlsServer } from "@holdfast/service-runtime";
import { VERSION } from "@holdfast/telemetry";
import { sql } from "kysely";
import { withDatabaseAt } from "../database/product-database.ts";
import { auditedSchemas, schemaNames } from "../database/provision-database.ts";
import { natsGreeting } from "../stream/nats-greeting.ts";
import type { Evidence } from "./evidence.ts";
import { offeredTls } from "./offered-ciphers.ts";
import { readAccess } from "./read-access.ts";
import { readAuditSamples, sampleRequest } from "./read-log-samples.ts";
import { readSettings, type EvidencedService } from "./read-settings.ts";
import { scanDatabase } from "./scan-database.ts";
import { scanFiles } from "./scan-files.ts";

type Output = (text: string) => void;
type Command = (args: string[], env: NodeJS.ProcessEnv, out: Output) => Promise<number>;

/** The parts of the services that the program hands in. */
export type EvidenceDeps = {
  /** The services by the name that `holdfast run` uses. */
  services: Record<string, EvidencedService>;
  checkPage: Command;
  /** The file of `package-lock.json`. */
  lockfile: string;
};

export type Collecting = {
  /** The installation, as its operator calls it. */
  name: string;
  isSandbox: boolean;
  databaseUrl: string;
  /** The time for the database's scan; 0: until all is read. */
  minutes: number;
  listeners: [name: string, server: TlsServer][];
  environments: Pair[];
  paths: string[];
  /** Arguments of the comparison of a page, if one was given. */
  page: string[] | "" | undefined;
  anchors: string[];
  env: NodeJS.ProcessEnv;
  out: Output;
};

/** Collects all parts. @throws where the database cannot be read */
export async function collect({ services, checkPage }: EvidenceDeps, asked: Collecting): Promise<Evidence> {
  const { databaseUrl, minutes, env, out } = asked;
  const processes = await Promise.all(
    asked.environments.map(async (pair) => await readProcess(services, pair, databaseUrl)),
  );
  out("trying cipher suites\n");
  const tls = await Promise.all(
    asked.listeners.map(async ([name, server]) => await offeredTls(name, server)),
  );
  out(`searching the database for card numbers${minutes > 0 ? `, ${minutes} minutes at most` : ""}\n`);
  const { access, database, postgresql, samples } = await readDatabase(databaseUrl, minutes);
  out("searching files for card numbers\n");
  const files = await scanFiles(asked.paths);
  out("verifying the audit log\n");
  const audit = await captured(verifyAudit, ["--database-url", databaseUrl, ...asked.anchors], env);
  const page = asked.page ? await captured(checkPage, asked.page, env) : undefined;
  const nats = await natsVersion(asked.listeners);
  return {
    installation: describeInstallation(
      asked,
      processes.map((one) => one.process),
    ),
    versions: {
      holdfast: VERSION,
      node: process.versions.node,
      postgresql,
      ...(nats !== undefined && { nats }),
    },
    tls,
    keys: processes.map(({ process, rings, inUse }) => ({ process, rings, ...(inUse && { inUse }) })),
    access,
    retention: processes.map(({ process, retention }) => ({ process, tables: retention })),
    cardNumbers: { database, files },
    audit: {
      intact: audit.code === 0,
      lines: audit.lines,
      anchored: asked.anchors.length > 0,
      samples,
      request: await sampleRequest(files.files),
    },
    page: page
      ? { asReleased: page.code === 0, lines: page.lines }
      : { notCollected: "no page was given (--page)" },
    settings: processes.map(({ process, weakening, inForce }) => ({ process, weakening, inForce })),
  };
}

async function readDatabase(databaseUrl: string, minutes: number) {
  return await withDatabaseAt(databaseUrl, READ_ONLY, async (db) => {
    const untilMs = minutes > 0 ? performance.now() + minutes * 60_000 : Infinity;
    const scanned = await scanDatabase(db, { schemas: schemaNames, untilMs });
    const { rows } = await sql<{ version: string }>`
      select current_setting('server_version') as version`.execute(db);
    return {
      access: await readAccess(db, schemaNames),
      database: scanned,
      postgresql: rows[0]!.version,
      samples: await readAuditSamples(db, auditedSchemas),
    };
  });
}

async function natsVersion(listeners: Collecting["listeners"]): Promise<string | undefined> {
  const bus = listeners.find(([, { preamble }]) => preamble === "nats")?.[1];
  return bus && (await natsGreeting(`nats://${bus.host}:${bus.port}`))?.version;
}

function describeInstallation(
  { name, isSandbox, databaseUrl }: Collecting,
  processes: string[],
): Evidence["installation"] {
  const { host, pathname, username } = new URL(databaseUrl);
  return {
    name,
    isSandbox,
    collectedAt: new Date().toISOString(),
    collectedOn: hostname(),
    database: `${pathname.slice(1)} on ${host}, read as ${decodeURIComponent(username)}`,
    processes,
  };
}

/**
 * No statement writes, takes long, or waits for a lock. Each is run once, so JIT compilation would take
 * longer than it saves.
 */
const READ_ONLY = {
  application_name: "evidence",
  options: "-c default_transaction_read_only=on -c statement_timeout=10s -c lock_timeout=1s -c jit=off",
};

/** A process, and the file of its environment. */
export type Pair = [name: string, value: string];

async function readProcess(services: EvidenceDeps["services"], [name, file]: Pair, databaseUrl: string) {
  const service = serviceOf(services, name)!;
  const given = environmentOf(await readFile(file, "utf8"));
  const env = await unwrapRings(service.config.shape, given);
  const inUse = await service.keyStatus?.({ ...env, DATABASE_URL: databaseUrl });
  return {
    // The process's name in the documents.
    process: name === "api-gateway" ? "gateway-merchant" : name,
    ...readSettings(env, service, given),
    inUse: inUse === undefined ? undefined : (JSON.parse(inUse) as object),
  };
}

/** The service of a process; `api-gateway` and `gateway-operator` belong to the gateway. */
export function serviceOf(services: EvidenceDeps["services"], process: string): EvidencedService | undefined {
  const name = /gateway/.test(process) ? "gateway" : process;
  return Object.hasOwn(services, name) ? services[name] : undefined;
}

/**
 * A process's environment as Linux shows it, separated by zeros, or in lines. An empty variable counts as
 * unset.
 */
function environmentOf(text: string): NodeJS.ProcessEnv {
  const entries = text.split(text.includes("\0") ? "\0" : "\n").flatMap((entry) => {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(entry) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Runs another command. One that throws has found nothing, and says why. */
async function captured(
  command: Command,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; lines: string[] }> {
  let text = "";
  const code = await command(args, env, (piece) => (text += piece)).catch((error: unknown) => {
    text += `could not be done: ${error instanceof Error ? error.message : String(error)}\n`;
    return 2;
  });
  return { code, lines: text.trimEnd().split("\n") };
}
