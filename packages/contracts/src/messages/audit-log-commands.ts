import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { defineOperatorCommand } from "./message.ts";

/** Reads the audit log of one service; the gateway merges them. */
export const readAuditLog = {
  payments: readAuditLogOf("payments"),
  refunds: readAuditLogOf("refunds"),
  webhooks: readAuditLogOf("webhooks"),
  settlement: readAuditLogOf("settlement"),
} as const;

function readAuditLogOf(service: string) {
  return defineOperatorCommand({
    service,
    name: "audit-log",
    role: "viewer",
    work: "read",
    request: auditPageSchema,
    result: auditEntriesSchema,
  });
}
