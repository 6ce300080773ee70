/**
 * Files of evidence for the bank. They are sealed on their way here, at rest, and on their way back. They
 * arrive in parts, become visible once their hash is right, and never change afterwards.
 */
import { createHash } from "node:crypto";
import { appendAudit } from "@holdfast/audit";
import {
  EVIDENCE_FILES_MAX,
  nameOf,
  operations,
  type ChargebackDetail,
  type CommandReply,
  type OperatorContext,
  type ProblemCode,
  type SealedReply,
} from "@holdfast/contracts";
import {
  openBytesAtRest,
  sealAtRest,
  sealReply,
  type RestKeyRing,
  type RingRecipient,
} from "@holdfast/sealing";
import { sql, type Transaction } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";
import { evidenceRecord } from "./chargeback-record.ts";
import { describeCase } from "./open-chargeback.ts";
import type { ChargebackDeps } from "./record-lines.ts";

type Trx = Transaction<PaymentsDatabase>;
type Sent = z.infer<typeof operations.addChargebackEvidence.command.request>;
type Part = Omit<Sent, "content"> & { content: Buffer };

export type EvidenceDeps = Pick<ChargebackDeps, "db"> & {
  fileKeys: RestKeyRing;
  /** The parts are sealed to it on their way here. */
  recipient: RingRecipient;
};

/** Stores one part of a file of an open case. An existing part stays unchanged. */
export async function addEvidencePart(
  deps: EvidenceDeps,
  { operator }: OperatorContext,
  sent: Sent,
): Promise<CommandReply<ChargebackDetail>> {
  const content = deps.recipient.open(sent.content);
  // The key was replaced since the file began, so the file is sent again.
  if (!content) return { outcome: "not_started" };
  const part = { ...sent, content };
  const refused = await deps.db
    .transaction()
    .execute(async (trx) => await keepPart(trx, deps.fileKeys, operator.person, part));
  return refused ?? (await describeCase(deps, sent.chargebackId));
}

type Problem = { outcome: "problem"; code: ProblemCode; extra?: Record<string, unknown> };

async function keepPart(
  trx: Trx,
  fileKeys: RestKeyRing,
  person: string,
  part: Part,
): Promise<Problem | undefined> {
  const { chargebackId, evidenceId } = part;
  const one = await trx
    .selectFrom("chargeback")
    .select(["status", "payment_id"])
    .where("chargeback_id", "=", chargebackId)
    .forUpdate()
    .executeTakeFirst();
  if (!one) return { outcome: "problem", code: "chargeback_not_found" };
  const refused = await begin(trx, person, part, one.status === "OPEN");
  if (refused !== undefined) return refused === "whole" ? undefined : { outcome: "problem", code: refused };
  await trx
    .insertInto("chargeback_evidence_part")
    .values({
      evidence_id: evidenceId,
      part: part.part,
      key_id: fileKeys.activeId,
      content: sealAtRest(fileKeys, ownerOfEvidence(evidenceId, part.part), part.content),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await sealIfWhole(trx, fileKeys, { actor: nameOf(person), part, paymentId: one.payment_id });
}

/** The row that a part is bound to. */
export function ownerOfEvidence(evidenceId: string, part: number): string {
  return `evidence ${evidenceId} ${part}`;
}

/** @returns why the part is not taken, or that the file is whole already. */
async function begin(
  trx: Trx,
  person: string,
  { chargebackId, evidenceId, fileName, bytes, sha256 }: Part,
  isOpen: boolean,
): Promise<"whole" | ProblemCode | undefined> {
  // A file that was cut off on its way makes room for the next one.
  await trx
    .deleteFrom("chargeback_evidence")
    .where("chargeback_id", "=", chargebackId)
    .where("sealed_at", "is", null)
    .where("evidence_id", "<>", evidenceId)
    .where("created_at", "<", sql<Date>`now() - interval '1 hour'`)
    .execute();
  const files = await trx
    .selectFrom("chargeback_evidence")
    .selectAll()
    .where("chargeback_id", "=", chargebackId)
    .execute();
  const known = files.find(({ evidence_id }) => evidence_id === evidenceId);
  const hash = Buffer.from(sha256, "hex");
  if (known && (known.added_by !== person || known.bytes !== bytes || !known.sha256.equals(hash)))
    return "idempotency_key_reused";
  // A form that is sent twice keeps its file once.
  const isKept = files.some(
    (file) => file.sealed_at && file.sha256.equals(hash) && file.file_name === fileName,
  );
  if (known?.sealed_at || (!known && isKept)) return "whole";
  if (!isOpen) return "chargeback_ended";
  if (known) return undefined;
  if (files.length >= EVIDENCE_FILES_MAX) return "too_much_evidence";
  const names = { evidence_id: evidenceId, chargeback_id: chargebackId, file_name: fileName };
  const inserted = await trx
    .insertInto("chargeback_evidence")
    .values({ ...names, bytes, sha256: hash, added_by: person, sealed_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning("evidence_id")
    .executeTakeFirst();
  // Another case has a file of this id.
  return inserted ? undefined : "chargeback_not_found";
}

async function sealIfWhole(
  trx: Trx,
  fileKeys: RestKeyRing,
  { actor, part, paymentId }: { actor: string; part: Part; paymentId: string },
): Promise<Problem | undefined> {
  const { chargebackId, evidenceId, bytes, sha256 } = part;
  const parts = await trx
    .selectFrom("chargeback_evidence_part")
    .select(["part", "content"])
    .where("evidence_id", "=", evidenceId)
    .orderBy("part")
    .execute();
  const content = Buffer.concat(
    parts.map((each) => openBytesAtRest(fileKeys, ownerOfEvidence(evidenceId, each.part), each.content)),
  );
  if (content.length < bytes) return undefined;
  if (content.length > bytes || createHash("sha256").update(content).digest("hex") !== sha256) {
    await trx.deleteFrom("chargeback_evidence").where("evidence_id", "=", evidenceId).execute();
    const errors = [{ field: "file", code: "invalid_format", message: "is not what was sent" }];
    return { outcome: "problem", code: "validation_failed", extra: { errors } };
  }
  await trx
    .updateTable("chargeback_evidence")
    .set({ sealed_at: sql<Date>`now()` })
    .where("evidence_id", "=", evidenceId)
    .execute();
  await appendAudit(trx, {
    actor,
    action: "chargeback.evidence_added",
    subject: chargebackId,
    detail: { paymentId, evidenceId, bytes, sha256 },
  });
  return undefined;
}

type ReadPart = z.infer<typeof operations.getChargebackEvidence.command.request>;
type Shown = CommandReply<{ evidence: ReturnType<typeof evidenceRecord>; content: SealedReply }>;

/** One part of a file that is whole, sealed to whoever asks, with what is known of the file. The log has who began. */
export async function readEvidencePart(
  { db, fileKeys }: Pick<EvidenceDeps, "db" | "fileKeys">,
  { operator, requestId }: OperatorContext,
  { chargebackId, evidenceId, part, recipientKey }: ReadPart,
): Promise<Shown> {
  const row = await db
    .selectFrom("chargeback_evidence as evidence")
    .innerJoin("chargeback_evidence_part as piece", "piece.evidence_id", "evidence.evidence_id")
    .selectAll("evidence")
    .select("piece.content")
    .where("evidence.evidence_id", "=", evidenceId)
    .where("evidence.chargeback_id", "=", chargebackId)
    .where("evidence.sealed_at", "is not", null)
    .where("piece.part", "=", part)
    .executeTakeFirst();
  if (!row) return { outcome: "problem", code: "chargeback_not_found" };
  const content = openBytesAtRest(fileKeys, ownerOfEvidence(evidenceId, part), row.content);
  if (part === 0)
    await db.transaction().execute((trx) =>
      appendAudit(trx, {
        actor: operator.name,
        action: "chargeback.evidence_downloaded",
        subject: chargebackId,
        detail: { requestId, evidenceId },
      }),
    );
  return {
    outcome: "done",
    result: { evidence: evidenceRecord(row), content: sealReply(recipientKey, content) },
  };
}
