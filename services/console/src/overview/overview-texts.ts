import type { Language } from "@holdfast/html";

const ENGLISH = {
  today: "Today, in figures",
  volume: (currency: string) => `Volume by hour (UTC), ${currency}`,
  approval: "Approval rate by bank",
  unknown: "Payments of unknown outcome, by age",
  queue: "Refunds that wait for a decision, by age",
  late: "Webhooks not delivered yet, by age",
  newest: (count: number) => `Only the newest ${count} are counted.`,
  rows: "Figures",
  figure: "Number",
  noPayments: "No payment today yet. The hours appear with the first one.",
  noDecided: "No bank has answered a payment today.",
  noUnknown: "No outcome is unknown.",
  noQueue: "No refund waits.",
  noLate: "Every webhook was delivered.",
  ownAccount: "Installation's own account",
  accountOf: (id: string) => `Account ${id}`,
  approvedOf: (approved: number, all: number) => `${approved} of ${all}`,
  others: (text: string) => `Other currencies: ${text}.`,
  deliveriesWaiting: "Webhooks not delivered yet",
  ages: ["under 1 hour", "1 to 4 hours", "4 to 24 hours", "over 24 hours"],
  waits: ["under 1 minute", "1 to 15 minutes", "15 to 60 minutes", "over 1 hour"],
};

export type OverviewTexts = typeof ENGLISH;

const TURKISH: OverviewTexts = {
  today: "Bugün, rakamlarla",
  volume: (currency) => `Saatlere göre hacim (UTC), ${currency}`,
  approval: "Bankalara göre onay oranı",
  unknown: "Sonucu belirsiz ödemeler, geçen süreye göre",
  queue: "Karar bekleyen iadeler, bekleme süresine göre",
  late: "Henüz iletilmeyen bildirimler, bekleme süresine göre",
  newest: (count) => `Yalnızca en yeni ${count} kayıt sayıldı.`,
  rows: "Rakamlar",
  figure: "Sayı",
  noPayments: "Bugün henüz ödeme yok. Saatler ilk ödemeyle görünür.",
  noDecided: "Bugün bankalardan henüz ödeme yanıtı gelmedi.",
  noUnknown: "Sonucu belirsiz ödeme yok.",
  noQueue: "Bekleyen iade yok.",
  noLate: "Bütün bildirimler iletildi.",
  ownAccount: "Kurulumun kendi hesabı",
  accountOf: (id) => `Hesap ${id}`,
  approvedOf: (approved, all) => `${approved} / ${all}`,
  others: (text) => `Diğer para birimleri: ${text}.`,
  deliveriesWaiting: "Henüz iletilmeyen bildirimler",
  ages: ["1 saatten az", "1–4 saat", "4–24 saat", "24 saatten çok"],
  waits: ["1 dakikadan az", "1–15 dakika", "15–60 dakika", "1 saatten çok"],
};

/** The texts of the overview's figures. */
export const OVERVIEW_TEXTS: Record<Language, OverviewTexts> = { en: ENGLISH, tr: TURKISH };
