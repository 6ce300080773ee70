import type { RefundTexts } from "./refund-texts.ts";

export const TURKISH: RefundTexts = {
  pendingPart: "Bekliyor",
  refundedPart: "İade edildi",
  disputedPart: "İtirazlı",
  ofPayment: "Ödemenin",
  takenAlready: "Daha önce alınan",
  select: "Seç",
  selectOrder: (order) => `Siparişi seç: ${order}`,
  selectAll: "Tümünü seç",
  decideSelected: "Seçilenler için karar ver",
  selectHint: "Karar vereceğiniz iadeleri seçin.",
  selectedSum: (count, sum) => `${count} seçildi: ${sum}`,
  selected: "Seçilen iadeler",
  decideTitle: (count, sum) => `${count} iade için karar: ${sum}`,
  approveAll: (count, sum) => `${count} iadeyi onayla: ${sum}`,
  rejectAll: (count) => `${count} iadeyi reddet`,
  notDecidable: (count) => `Seçilen iadelerden ${count} tanesine karar verilemiyor`,
  decidedOf: (count, all) => `${all} iadeden ${count} tanesine karar verildi.`,
  notSent: (count) => `${count} iade daha ağ geçidine gönderilmedi.`,
  backToQueue: "İadelere dön",
  noRefundMatches: "Uyan iade yok. Süzgeçleri genişletin.",
};
