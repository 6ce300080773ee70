import { z } from "zod";
import { textSchema } from "../text.ts";

/** One line of a service's audit log; see the audit package for the chain. */
export const auditLogEntrySchema = z
  .object({
    service: z.string().meta({ description: "Service whose log it is in" }),
    sequence: z.int().meta({ description: "Position in the service's log: 1, 2, 3, …" }),
    at: z.iso.datetime().meta({ description: "When it was done (UTC)" }),
    actor: z.string().meta({ description: "Who did it: the `sub` of a person's token, or a command's name" }),
    action: z.string().meta({ description: "What was done", examples: ["merchant.created"] }),
    subject: z.string().meta({ description: "What it was done to, by its id" }),
    detail: z
      .record(z.string(), z.unknown())
      .meta({ description: "What else there is to say of it; its fields depend on the action" }),
    hash: z.string().meta({ description: "Hash of this entry and the hash before it, in hex" }),
  })
  .meta({ id: "AuditLogEntry" });

export type AuditLogEntry = z.infer<typeof auditLogEntrySchema>;

/** Services that have an audit log, as the log names them. */
export const AUDITED_SERVICES = ["api-gateway", "payments", "refunds", "webhooks", "settlement"] as const;

/** The log's filters; several narrow it together. `from` is included, `to` is not. */
export const auditFilterSchema = z.object({
  actor: textSchema(1, 200, { is: "id" })
    .optional()
    .meta({ description: "Who acted: the subject of the operator's token" }),
  action: textSchema(1, 100, { is: "id" })
    .optional()
    .meta({ description: "What was done", examples: ["merchant.suspended"] }),
  subject: textSchema(1, 200, { is: "id" })
    .optional()
    .meta({ description: "What it was done to: the id of a merchant, payment, refund or event" }),
  from: z.iso.datetime({ offset: true }).optional().meta({ description: "Not before this time" }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: "Before this time" }),
});

/** The gateway's query of each service's log: entries older than `before`, newest first. It merges the answers. */
export const auditPageSchema = auditFilterSchema.extend({
  limit: z.int(),
  before: z.object({ at: z.iso.datetime(), sequence: z.int() }).optional(),
});

export const auditEntriesSchema = z.object({ entries: z.array(auditLogEntrySchema) });
