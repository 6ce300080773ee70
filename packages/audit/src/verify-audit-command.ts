import { Kysely, PostgresDialect, sql } from "kysely";
import { databaseUrlOf, sandboxDatabaseUrl } from "@holdfast/postgres";
import { readCommandLine } from "@holdfast/service-runtime";
import { Client, Pool } from "pg";
import { verifyAuditChain, type AuditVerdict, type AuditAnchor } from "./audit-chain.ts";
import { formatAuditHead, parseAuditHead, type AuditHead, auditHeadIn } from "./audit-head.ts";
import { readAuditEntries, type AuditDatabase } from "./audit-log.ts";
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const HELP = `npm run verify-audit -- [--database-url URL | --home DIR] [--anchors PATH ...] [--anchor CHAIN:SEQUENCE:HASH ...]

  --database-url URL   the database, as a role that may read the audit tables, such as holdfast_auditor
                       (default: $AUDIT_DATABASE_URL, then $DATABASE_URL)
  --home DIR           the database of the sandbox in DIR (default, where neither is set: .holdfast)
  --anchors PATH       requires the chains to contain the heads in a file, or in the files of a directory: lines as the
                       services log them ("audit head"), or as the sink of AUDIT_ANCHOR_URL got them
  --anchor HEAD        requires a chain to contain a head that was printed earlier

exits with 0 when all chains are intact, with 1 when one is broken or cannot be read, with 2 when nothing was verified
`;

type Output = (text: string) => void;

/**
 * Recomputes the audit chain of each service's schema, checks that its times do not run backwards, and prints its head. A
 * chain that was cut or rewritten as a whole is consistent in itself, and only a head that was kept elsewhere reveals it.
 *
 * @returns the exit code
 * @throws when nothing could be verified
 */
export async function verifyAudit(args: string[], env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(
    args,
    {
      help: HELP,
      options: {
        "database-url": { type: "string" },
        home: { type: "string" },
        anchors: { type: "string", multiple: true, default: [] },
        anchor: { type: "string", multiple: true, default: [] },
      },
    },
    out,
  );
  if (!line) return 0;
  const { values } = line;
  const anchors = await readAnchors(values.anchors, values.anchor.map(namedAnchor));
  const connectionString = databaseUrl(values, env);
  const pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  // The next query reports a lost connection; without a listener the event would end the process.
  pool.on("error", () => undefined);
  await using db = new Kysely<AuditDatabase>({ dialect: new PostgresDialect({ pool }) });
  out(`database ${describeDatabase(connectionString)}\n`);
  return await verifyAll(db, anchors, out);
}

const CONNECTION_TIMEOUT_MS = 10_000;

async function verifyAll(db: Kysely<AuditDatabase>, anchors: Anchors, out: Output): Promise<number> {
  let broken = 0;
  const found = await auditedSchemas(db);
  const schemas = new Set([...AUDITED_SCHEMAS, ...found, ...anchors.keys()]);
  for (const schema of schemas) {
    if (!found.includes(schema)) {
      out(`${schema}: BROKEN, this role can read no audit table\n`);
      broken++;
      continue;
    }
    const own = anchors.get(schema) ?? [];
    const verdict = await verifyAuditChain(readAuditEntries(db, schema), { anchors: own, now: new Date() });
    out(`${describe(schema, verdict, own.length)}\n`);
    if (!verdict.intact) broken++;
  }
  if (anchors.size === 0) out(`no anchors were given: a chain that its owner has rewritten looks intact\n`);
  out(`${schemas.size - broken} intact, ${broken} broken\n`);
  return broken === 0 ? 0 : 1;
}

/** The list is fixed: a table that was dropped must be reported, not passed over. */
const AUDITED_SCHEMAS = ["gateway", "payments", "refunds", "settlement", "webhooks"];

function describe(chain: string, verdict: AuditVerdict, anchors: number): string {
  if (!verdict.intact) {
    const missing =
      verdict.fault === "anchor" ? `, ${headOf(chain, verdict.anchor)} is not in the chain` : "";
    return `${chain}: BROKEN at entry ${verdict.sequence} (${FAULTS[verdict.fault]}${missing})`;
  }
  const head = headOf(chain, { sequence: verdict.entries, hash: verdict.head });
  return `${chain}: intact, ${verdict.entries} entries, ${anchors} anchors found, head ${head}`;
}

const FAULTS = {
  gap: "gap: entries are missing or have other numbers",
  hash: "hash: its content, or the entry before it, was changed",
  time: "time: it is dated before its predecessor, or in the future",
  anchor: "anchor: the chain was cut or rewritten",
};

function headOf(chain: string, { sequence, hash }: { sequence: bigint; hash: Buffer }): string {
  return formatAuditHead({ chain, sequence: Number(sequence), hash: hash.toString("hex") });
}

function namedAnchor(text: string): AuditHead {
  const head = parseAuditHead(text);
  if (!head) throw new Error(`--anchor must be CHAIN:SEQUENCE:HASH, not ${text}`);
  return head;
}

/** A database on the command line goes before the environment's, which may be meant for another program. */
function databaseUrl(
  { "database-url": url, home }: { "database-url"?: string | undefined; home?: string | undefined },
  env: NodeJS.ProcessEnv,
): string {
  if (url !== undefined && home !== undefined)
    throw new Error("--database-url and --home name two databases");
  if (url !== undefined) return databaseUrlOf("--database-url", url, env);
  const name = env["AUDIT_DATABASE_URL"] ? "AUDIT_DATABASE_URL" : "DATABASE_URL";
  return home === undefined && env[name]
    ? databaseUrlOf(name, env[name], env)
    : sandboxDatabaseUrl(
        home ?? ".holdfast",
        "give --database-url or --home, or set AUDIT_DATABASE_URL or DATABASE_URL",
      );
}

/** Never with the password. */
function describeDatabase(connectionString: string): string {
  const { host, port, database, user } = new Client({ connectionString });
  return `${database} on ${host}:${port} as ${user}`;
}

async function auditedSchemas(db: Kysely<AuditDatabase>): Promise<string[]> {
  const { rows } = await sql<{ table_schema: string }>`
    select table_schema from information_schema.tables where table_name = 'audit_entry' order by 1`.execute(
    db,
  );
  return rows.map(({ table_schema }) => table_schema);
}

/** The heads that were kept, by chain, each once. */
type Anchors = Map<string, AuditAnchor[]>;

/**
 * Reads the heads in files of a log collector or a sink, line by line. A path may be a directory, whose files
 * are read.
 *
 * @throws if a named file has no head: a verification with it would prove nothing.
 */
async function readAnchors(paths: string[], named: AuditHead[] = []): Promise<Anchors> {
  const heads = new Map(named.map((head) => [formatAuditHead(head), head]));
  for (const path of paths) {
    const isDirectory = statSync(path).isDirectory();
    let found = 0;
    for (const file of isDirectory ? filesIn(path) : [path]) {
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const head = auditHeadIn(line);
        if (!head) continue;
        found++;
        heads.set(formatAuditHead(head), head);
      }
    }
    if (found === 0 && !isDirectory) throw new Error(`there is no audit head in ${path}`);
  }
  const byChain = Map.groupBy(heads.values(), ({ chain }) => chain);
  return new Map(
    [...byChain].map(([chain, own]) => [
      chain,
      own.map(({ sequence, hash }) => ({ sequence: BigInt(sequence), hash: Buffer.from(hash, "hex") })),
    ]),
  );
}

/**
 * The files of the directory itself: a mounted ConfigMap keeps its earlier versions in hidden directories
 * below.
 */
function filesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => !name.startsWith("."))
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}
