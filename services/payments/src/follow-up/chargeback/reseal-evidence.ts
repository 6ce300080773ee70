import { appendAudit } from "@holdfast/audit";
import type { RingInUse } from "@holdfast/postgres";
import { openBytesAtRest, sealAtRest, SecretUnreadableError, type RestKeyRing } from "@holdfast/sealing";
import { sql, type Kysely, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { ownerOfEvidence } from "./evidence.ts";

/** The ring of files, and the parts of evidence that need its keys. */
export function evidenceKeysInUse(ring: RestKeyRing): RingInUse<PaymentsDatabase> {
  return {
    setting: "FILE_KEYS",
    ring,
    rowsAre: "parts of evidence",
    rows: [{ table: sql`chargeback_evidence_part`, keyId: sql<string>`key_id`, where: sql<boolean>`true` }],
  };
}

export type ResealedEvidence = {
  /** Parts that are under the active key now and were not before. */
  parts: number;
  /** Files that no key of the ring opens. They are left as they are. */
  unreadable: Set<string>;
};

/**
 * Seals parts that are under another key again under the active key, so that the old key can leave the ring.
 * A transaction has few parts and a line in the audit log, and an interrupted run is simply repeated.
 */
export async function resealEvidence(
  db: Kysely<PaymentsDatabase>,
  ring: RestKeyRing,
  actor: string,
): Promise<ResealedEvidence> {
  const done: ResealedEvidence = { parts: 0, unreadable: new Set() };
  let after: Place | undefined;
  do {
    after = await db.transaction().execute((trx) => resealBatch(trx, ring, { actor, after, done }));
  } while (after);
  return done;
}

type Place = { evidence_id: string; part: number };

/** @returns the part after which to continue; undefined at the end. */
async function resealBatch(
  trx: Transaction<PaymentsDatabase>,
  ring: RestKeyRing,
  { actor, after, done }: { actor: string; after: Place | undefined; done: ResealedEvidence },
): Promise<Place | undefined> {
  const rows = await trx
    .selectFrom("chargeback_evidence_part")
    .selectAll()
    .where("key_id", "<>", ring.activeId)
    .$if(after !== undefined, (rest) =>
      rest.where(sql<boolean>`(evidence_id, part) > (${after!.evidence_id}::uuid, ${after!.part}::int)`),
    )
    .orderBy("evidence_id")
    .orderBy("part")
    .limit(PARTS_AT_A_TIME)
    .forNoKeyUpdate()
    .execute();
  const files = new Set<string>();
  for (const { evidence_id, part, content } of rows) {
    const again = resealed(ring, ownerOfEvidence(evidence_id, part), content);
    if (!again) {
      done.unreadable.add(evidence_id);
      continue;
    }
    await trx
      .updateTable("chargeback_evidence_part")
      .set({ key_id: ring.activeId, content: again })
      .where("evidence_id", "=", evidence_id)
      .where("part", "=", part)
      .execute();
    files.add(evidence_id);
    done.parts++;
  }
  if (files.size > 0)
    await appendAudit(trx, {
      actor,
      action: "evidence.resealed",
      subject: `FILE_KEYS ${ring.activeId}`,
      detail: { evidence: [...files] },
    });
  return rows.length < PARTS_AT_A_TIME ? undefined : rows.at(-1);
}

/** A part has 256 KiB at most. */
const PARTS_AT_A_TIME = 16;

function resealed(ring: RestKeyRing, owner: string, content: Buffer): Buffer | undefined {
  try {
    return sealAtRest(ring, owner, openBytesAtRest(ring, owner, content));
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}
