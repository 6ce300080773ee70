import { sql, type Generated, type Kysely, type Transaction } from "kysely";
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

/** An event to be recorded. */
export type AuditRecord = { actor: string; action: string; subject: string; detail: Record<string, unknown> };

/**
 * Appends to the chain, in the transaction of the effect itself: there is no effect without its entry and no
 * entry without its effect. Appends wait for each other until their transactions end; operators' actions are
 * few. If the server's clock has stepped back (a failover to another machine), an entry gets the previous
 * entry's time.
 */
export async function appendAudit<DB extends AuditDatabase>(
  trx: Transaction<DB>,
  { actor, action, subject, detail }: AuditRecord,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(current_schema() || '.audit_entry'))`.execute(trx);
  const {
    rows: [latest],
  } = await sql<{ sequence: string | bigint; hash: Buffer | null; at: Date }>`
    select coalesce(latest.sequence, 0)::bigint as sequence, latest.hash,
      greatest(latest.at, date_trunc('milliseconds', clock_timestamp())) as at
    from (select) as always
    left join (select sequence, hash, at from audit_entry order by sequence desc limit 1) as latest on true`.execute(
    trx,
  );
  const { sequence, hash, at } = latest!;
  const content: AuditContent = {
    sequence: BigInt(sequence) + 1n,
    at,
    actor,
    action,
    subject,
    detail: JSON.stringify(detail),
  };
  await sql`
    insert into audit_entry (sequence, at, actor, action, subject, detail, hash)
    values (${content.sequence}, ${at}, ${actor}, ${action}, ${subject}, ${content.detail},
      ${auditHash(hash ?? GENESIS, content)})`.execute(trx);
}

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
  /** The end of the range, not included. */
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
