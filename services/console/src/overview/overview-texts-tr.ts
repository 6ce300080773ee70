import type { OverviewTexts } from "./overview-texts.ts";

export const TURKISH: OverviewTexts = {
  today: "Bugün, rakamlarla",
  volume: (currency) => `Saatlere göre hacim (UTC), ${currency}`,
  approval: "Bankalara göre onay oranı",
  unknown: "Sonucu belirsiz ödemeler, geçen süreye göre",
  queue: "Karar bekleyen iadeler, bekleme süresine göre",
  failing: "Hata veren bildirim adresleri",
  newest: (count) => `Yalnızca en yeni ${count} kayıt sayıldı.`,
  rows: "Rakamlar",
  figure: "Sayı",
  noPayments: "Bugün henüz ödeme yok. Saatler ilk ödemeyle görünür.",
  noDecided: "Bugün bankalardan henüz ödeme yanıtı gelmedi.",
  noUnknown: "Sonucu belirsiz ödeme yok.",
  noQueue: "Bekleyen iade yok.",
  ownAccount: "Kurulumun kendi hesabı",
  accountOf: (id) => `Hesap ${id}`,
  approvedOf: (approved, all) => `${approved} / ${all}`,
  others: (text) => `Diğer para birimleri: ${text}.`,
  ages: ["1 saatten az", "1–4 saat", "4–24 saat", "24 saatten çok"],
};
