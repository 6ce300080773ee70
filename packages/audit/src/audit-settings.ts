import { textSetting, urlSetting, webWire } from "@holdfast/service-runtime";

/** Settings of a service that has an audit log. */
export const auditSettings = {
  AUDIT_ANCHOR_URL: urlSetting("https:", "http:")
    .optional()
    .describe(
      "An append-only HTTP sink, out of reach of the database's owner, to which the head of the audit log is posted whenever it changes. Without it the heads are in the service's own log only.",
    ),
  AUDIT_ANCHOR_TOKEN: textSetting("must be the sink's token")
    .optional()
    .describe("Sent to that sink as `Authorization: Bearer`."),
};

/** The settings of the command that verifies the audit logs, where its command line names no database. */
export const verifyAuditSettings = {
  AUDIT_DATABASE_URL: urlSetting("postgres:", "postgresql:")
    .optional()
    .describe(
      "The database whose audit logs are verified, as `holdfast_auditor`. Without it `DATABASE_URL` is taken, and without both the sandbox's.",
    ),
};

export type AuditSettings = {
  AUDIT_ANCHOR_URL?: string | undefined;
  AUDIT_ANCHOR_TOKEN?: string | undefined;
};

/** The anchors' sink has to be reached over TLS. */
export const auditWire = (settings: AuditSettings) =>
  webWire("AUDIT_ANCHOR_URL", "audit-anchor", settings.AUDIT_ANCHOR_URL);
