import { CompiledQuery, sql, type Generated, type Kysely, type Transaction } from "kysely";
import { auditHash, GENESIS, type AuditContent, type AuditEntry } from "./audit-chain.ts";

/** The table that each service has in its own schema; its runtime role may only insert and read. */
export type AuditDatabase = {
  audit_entry: {
    sequence: bigint;
    at: Generated<Date>;
    actor: string;
    action: string;
    subject: string;
    detail: string;
    hash: Buffer;
  };
};

/** What happened, as it is to be recorded. */
export type AuditRecord = { actor: string; action: string; subject: string; detail: Record<string, unknown> };

/** Runs one statement in a transaction that is open, and resolves to its rows. */
export type ExecuteInTransaction = (text: string, values: unknown[]) => Promise<unknown[]>;

/**
 * Appends to the chain, in the transaction of the effect itself: there is no effect without its entry and no entry
 * without its effect. Appends wait for each other until their transactions end; operators' actions are few.
 */
export async function appendAudit<DB extends AuditDatabase>(
  trx: Transaction<DB>,
  record: AuditRecord,
): Promise<void> {
  const execute: ExecuteInTransaction = async (text, values) =>
    (await trx.executeQuery(CompiledQuery.raw(text, values))).rows;
  await appendAuditBy(execute, record);
}

/** The same for a service that uses the database without kysely. */
export async function appendAuditBy(execute: ExecuteInTransaction, record: AuditRecord): Promise<void> {
  await execute("select pg_advisory_xact_lock(hashtext(current_schema() || '.audit_entry'))", []);
  const [latest] = (await execute(LATEST, [])) as {
    sequence: string | bigint;
    hash: Buffer | null;
    at: Date;
  }[];
  const { sequence = 0n, hash = null, at = new Date() } = latest ?? {};
  const content: AuditContent = {
    sequence: BigInt(sequence) + 1n,
    at,
    actor: record.actor,
    action: record.action,
    subject: record.subject,
    detail: JSON.stringify(record.detail),
  };
  await execute(
    "insert into audit_entry (sequence, at, actor, action, subject, detail, hash) values ($1, $2, $3, $4, $5, $6, $7)",
    [
      content.sequence,
      content.at,
      content.actor,
      content.action,
      content.subject,
      content.detail,
      auditHash(hash ?? GENESIS, content),
    ],
  );
}

const LATEST = `
  select coalesce(max(sequence), 0)::bigint as sequence,
    (select hash from audit_entry order by sequence desc limit 1) as hash,
    date_trunc('milliseconds', clock_timestamp()) as at
  from audit_entry`;

/** int8 is text or bigint, depending on the connection's parser. */
type StoredEntry = Omit<AuditEntry, "sequence"> & { sequence: string | bigint };

/** All entries in order, a page at a time. */
export async function* readAuditEntries<DB extends AuditDatabase>(
  db: Kysely<DB>,
  schema: string,
): AsyncGenerator<AuditEntry> {
  let after = 0n;
  for (;;) {
    const page = await sql<StoredEntry>`
      select sequence, at, actor, action, subject, detail, hash from ${sql.table(`${schema}.audit_entry`)}
      where sequence > ${after} order by sequence limit ${PAGE}`.execute(db);
    for (const entry of page.rows) yield { ...entry, sequence: BigInt(entry.sequence) };
    if (page.rows.length < PAGE) return;
    after = BigInt(page.rows.at(-1)!.sequence);
  }
}

const PAGE = 1_000;

/**
 * A page of the log as operators read it, newest first, restricted by the fields that are given. Times are ISO 8601.
 */
export type AuditPage = {
  limit: number;
  before?: { at: string; sequence: number } | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** Included. */
  from?: string | undefined;
  /** Not included. */
  to?: string | undefined;
};

export type ShownAuditEntry = {
  service: string;
  sequence: number;
  at: string;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown>;
  hash: string;
};

/** @param service name under which the entries are shown. */
export async function readAuditEntriesBefore<DB extends AuditDatabase>(
  db: Kysely<DB>,
  service: string,
  { limit, before, actor, action, subject, from, to }: AuditPage,
): Promise<ShownAuditEntry[]> {
  const conditions = [
    before && sql`(at, sequence) < (${before.at}::timestamptz, ${before.sequence}::bigint)`,
    actor !== undefined && sql`actor = ${actor}`,
    action !== undefined && sql`action = ${action}`,
    subject !== undefined && sql`subject = ${subject}`,
    from !== undefined && sql`at >= ${from}::timestamptz`,
    to !== undefined && sql`at < ${to}::timestamptz`,
  ].filter((condition) => typeof condition === "object");
  const { rows } = await sql<StoredEntry>`
    select sequence, at, actor, action, subject, detail, hash from audit_entry
    where ${sql.join([sql`true`, ...conditions], sql` and `)}
    order by at desc, sequence desc limit ${limit}`.execute(db);
  return rows.map(({ sequence, at, detail, hash, ...entry }) => ({
    service,
    sequence: Number(sequence),
    at: at.toISOString(),
    ...entry,
    detail: JSON.parse(detail) as Record<string, unknown>,
    hash: hash.toString("hex"),
  }));
}
