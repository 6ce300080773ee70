import type { Language } from "@holdfast/html";
import { TURKISH } from "./audit-texts-tr.ts";

const ENGLISH = {
  log: "Who did what, newest first",
  actor: "Person",
  action: "Action",
  subject: "About",
  service: "Service and number",
  serviceName: "Service",
  from: "From",
  to: "To, not included",
  noEntries: "No entry matches. Widen the filters; the log has everything that people have changed.",
};

export type AuditTexts = typeof ENGLISH;

/** The texts of the page about the audit log. */
export const AUDIT_TEXTS: Record<Language, AuditTexts> = { en: ENGLISH, tr: TURKISH };
