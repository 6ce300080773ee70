import { appendAudit } from "@holdfast/audit";
import type { ChangedLogLevel, LoggingService } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import { read, write, type GatewayDatabase } from "../database.ts";
import type { Actor } from "../merchant/merchant-queries.ts";

type Db = Kysely<GatewayDatabase>;

/** A change that is in force, by the database's clock. */
export type LogLevelChange = {
  service: LoggingService;
  level: ChangedLogLevel;
  endsInMs: number;
  until: Date;
  changedBy: string;
  changedAt: Date;
};

/** Changes a service's level for a time, or with `null` ends such a change, with the line of the audit log. */
export async function changeLogLevel(
  db: Db,
  { service, level, seconds }: { service: LoggingService; level: ChangedLogLevel | null; seconds: number },
  by: Actor,
): Promise<LogLevelChange | undefined> {
  return await write(db, async (trx) => {
    if (level === null) await trx.deleteFrom("log_level").where("service", "=", service).execute();
    else {
      const change = {
        level,
        ends_at: fromNow(seconds * 1_000),
        changed_by: by.subject,
        changed_at: sql<Date>`now()`,
      };
      await trx
        .insertInto("log_level")
        .values({ service, ...change })
        .onConflict((conflict) => conflict.column("service").doUpdateSet(change))
        .execute();
    }
    const detail = { requestId: by.requestId, level, ...(level !== null && { seconds }) };
    await appendAudit(trx, { actor: by.subject, action: "log_level.changed", subject: service, detail });
    return (await changesIn(trx)).find((change) => change.service === service);
  });
}

/** The changes that are not over yet. */
export async function logLevelChanges(db: Db): Promise<LogLevelChange[]> {
  return await read(changesIn(db));
}

/** A service has one row at most. */
async function changesIn(db: Db): Promise<LogLevelChange[]> {
  const rows = await db
    .selectFrom("log_level")
    .selectAll()
    .select(sql<number>`ceil(extract(epoch from ends_at - now()) * 1000)::int`.as("ends_in_ms"))
    .where("ends_at", ">", sql<Date>`now()`)
    .execute();
  return rows.map((row) => ({
    service: row.service,
    level: row.level,
    endsInMs: row.ends_in_ms,
    until: row.ends_at,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  }));
}
