import { z } from "zod";
import { defineEndpoint } from "./endpoint.ts";
import { pageQuery } from "./operator-payments.ts";

/** One line of a service's audit log; see the audit package for the chain. */
export const auditLogEntrySchema = z
  .object({
    service: z.string(),
    sequence: z.int().meta({ description: "1, 2, 3, … within the service" }),
    at: z.iso.datetime(),
    actor: z.string(),
    action: z.string().meta({ examples: ["merchant.created"] }),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()),
    hash: z.string().meta({ description: "Hex; covers this entry and the hash before it" }),
  })
  .meta({ id: "AuditLogEntry" });
export type AuditLogEntry = z.infer<typeof auditLogEntrySchema>;

export const getAuditLog = defineEndpoint({
  operationId: "getAuditLog",
  listener: "operator",
  method: "GET",
  path: "/operator/audit-log",
  role: "viewer",
  summary: "Who did what, newest first, over all services",
  queryParameters: z.object(pageQuery),
  responses: {
    200: {
      description: "A page",
      body: z
        .object({ items: z.array(auditLogEntrySchema), nextCursor: z.string().optional() })
        .meta({ id: "AuditLogPage" }),
    },
  },
  problems: ["validation_failed", "forbidden"],
});
