import type { Kysely } from "kysely";
import { appendAudit, type AuditDatabase } from "./audit-log.ts";

/** An authenticated person requested an action that their roles do not allow. */
export type ForbiddenAttempt = {
  actor: string;
  /** The requested action: a command or an endpoint. */
  subject: string;
  /** The role that the action takes. */
  role: string;
  requestId: string;
};

/** Records an attempt that was forbidden and changed nothing. */
export async function auditForbidden<DB extends AuditDatabase>(
  db: Kysely<DB>,
  { actor, subject, role, requestId }: ForbiddenAttempt,
): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      appendAudit(trx, { actor, action: "access.refused", subject, detail: { role, requestId } }),
    );
}
