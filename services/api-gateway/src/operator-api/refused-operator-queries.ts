import { appendAudit } from "@holdfast/audit";
import { kindOf, nameOf, type RefusedOperator } from "@holdfast/contracts";
import type { Kysely, Selectable } from "kysely";
import { read, write, type GatewayDatabase, type RefusedOperatorTable } from "../database.ts";
import type { Actor } from "../merchant/merchant-queries.ts";

type Db = Kysely<GatewayDatabase>;

/** One read by primary key, for the person and for whoever has their subject, for each request of an operator: a refusal acts immediately, on every gateway. */
export async function isRefused(
  db: Db,
  { person, subject }: { person: string; subject: string },
): Promise<boolean> {
  const query = db.selectFrom("refused_operator").select("person").where("person", "in", [person, subject]);
  return (await read(query.executeTakeFirst())) !== undefined;
}

/** Refuses a person, with the line of the audit log; a person who is refused stays so. */
export async function refuse(
  db: Db,
  { person, reason }: { person: string; reason: string },
  by: Actor,
): Promise<{ isNew: boolean; refused: RefusedOperator }> {
  return await write(db, async (trx) => {
    const added = await trx
      .insertInto("refused_operator")
      .values({ person, reason, refused_by: by.person })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!added) {
      const existing = trx.selectFrom("refused_operator").selectAll().where("person", "=", person);
      return { isNew: false, refused: toRefused(await existing.executeTakeFirstOrThrow()) };
    }
    const { requestId, subject: actor } = by;
    const detail = { requestId, kind: kindOf(person), reason };
    await appendAudit(trx, { actor, action: "operator.refused", subject: nameOf(person), detail });
    return { isNew: true, refused: toRefused(added) };
  });
}

/** Admits a person again. @returns whether they were refused. */
export async function readmit(db: Db, person: string, by: Actor): Promise<boolean> {
  return await write(db, async (trx) => {
    const removed = await trx
      .deleteFrom("refused_operator")
      .where("person", "=", person)
      .returning("reason")
      .executeTakeFirst();
    if (!removed) return false;
    const { requestId, subject: actor } = by;
    const detail = { requestId, kind: kindOf(person), reason: removed.reason };
    await appendAudit(trx, { actor, action: "operator.readmitted", subject: nameOf(person), detail });
    return true;
  });
}

export type RefusedRow = Selectable<RefusedOperatorTable>;

/** Lists refused people in the order of kind, issuer and subject. */
export async function listRefused(db: Db, limit: number, after = ""): Promise<RefusedRow[]> {
  const query = db
    .selectFrom("refused_operator")
    .selectAll()
    .where("person", ">", after)
    .orderBy("person")
    .limit(limit);
  return await read(query.execute());
}

export function toRefused(row: RefusedRow): RefusedOperator {
  const { person, reason, refused_by, refused_at } = row;
  const kind = kindOf(person);
  return {
    subject: nameOf(person),
    ...(kind && { kind }),
    reason,
    refusedBy: nameOf(refused_by),
    refusedAt: refused_at.toISOString(),
  };
}
