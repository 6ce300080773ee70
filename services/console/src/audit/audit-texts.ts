import type { Language } from "@holdfast/html";

const ENGLISH = {
  log: "Who did what, newest first",
  actor: "Person",
  action: "Action",
  subject: "About",
  service: "Service and number",
  serviceName: "Service",
  from: "From (UTC)",
  to: "To (not included, UTC)",
  noEntries: "No entry matches. Widen the filters; the log has everything that people have changed.",
};

export type AuditTexts = typeof ENGLISH;

const TURKISH: AuditTexts = {
  log: "Kim ne yaptı (en yenisi önce)",
  actor: "Kişi",
  action: "İşlem",
  subject: "Konusu",
  service: "Servis ve sıra",
  serviceName: "Servis",
  from: "Başlangıç (UTC)",
  to: "Bitiş (hariç, UTC)",
  noEntries: "Eşleşen kayıt yok. Filtreleri genişletin; kayıtta insanların değiştirdiği her şey vardır.",
};

/** The texts of the page about the audit log. */
export const AUDIT_TEXTS: Record<Language, AuditTexts> = { en: ENGLISH, tr: TURKISH };
