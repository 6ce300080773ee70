import { appendAudit } from "@holdfast/audit";
import type { RefusedOperator } from "@holdfast/contracts";
import type { Kysely, Selectable } from "kysely";
import { read, write, type GatewayDatabase, type RefusedOperatorTable } from "../database.ts";
import type { Actor } from "../merchant/merchant-queries.ts";

type Db = Kysely<GatewayDatabase>;

/** One read by primary key, for each request of an operator: a refusal acts immediately, on every gateway. */
export async function isRefused(db: Db, subject: string): Promise<boolean> {
  const query = db.selectFrom("refused_operator").select("subject").where("subject", "=", subject);
  return (await read(query.executeTakeFirst())) !== undefined;
}

/** Refuses a person, with the line of the audit log; a person who is refused stays so. */
export async function refuse(
  db: Db,
  { subject, reason }: Pick<RefusedOperator, "subject" | "reason">,
  by: Actor,
): Promise<{ isNew: boolean; refused: RefusedOperator }> {
  return await write(db, async (trx) => {
    const added = await trx
      .insertInto("refused_operator")
      .values({ subject, reason, refused_by: by.subject })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!added) {
      const existing = trx.selectFrom("refused_operator").selectAll().where("subject", "=", subject);
      return { isNew: false, refused: toRefused(await existing.executeTakeFirstOrThrow()) };
    }
    const { requestId, subject: actor } = by;
    await appendAudit(trx, { actor, action: "operator.refused", subject, detail: { requestId, reason } });
    return { isNew: true, refused: toRefused(added) };
  });
}

/** Admits a person again. @returns whether they were refused. */
export async function readmit(db: Db, subject: string, by: Actor): Promise<boolean> {
  return await write(db, async (trx) => {
    const removed = await trx
      .deleteFrom("refused_operator")
      .where("subject", "=", subject)
      .returning("reason")
      .executeTakeFirst();
    if (!removed) return false;
    const { requestId, subject: actor } = by;
    const detail = { requestId, reason: removed.reason };
    await appendAudit(trx, { actor, action: "operator.readmitted", subject, detail });
    return true;
  });
}

/** Lists refused people in the order of their subjects. */
export async function listRefused(db: Db, limit: number, after = ""): Promise<RefusedOperator[]> {
  const query = db
    .selectFrom("refused_operator")
    .selectAll()
    .where("subject", ">", after)
    .orderBy("subject")
    .limit(limit);
  return (await read(query.execute())).map(toRefused);
}

function toRefused(row: Selectable<RefusedOperatorTable>): RefusedOperator {
  const { subject, reason, refused_by: refusedBy, refused_at: refusedAt } = row;
  return { subject, reason, refusedBy, refusedAt: refusedAt.toISOString() };
}
