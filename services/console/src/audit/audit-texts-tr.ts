import type { AuditTexts } from "./audit-texts.ts";

export const TURKISH: AuditTexts = {
  log: "Kim ne yaptı (en yenisi önce)",
  actor: "Kişi",
  action: "İşlem",
  subject: "Konusu",
  service: "Servis ve sıra",
  serviceName: "Servis",
  from: "Başlangıç",
  to: "Bitiş, hariç",
  noEntries: "Eşleşen kayıt yok. Filtreleri genişletin; kayıtta insanların değiştirdiği her şey vardır.",
};
