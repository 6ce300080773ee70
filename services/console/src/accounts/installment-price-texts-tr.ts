import type { InstallmentPriceTexts } from "./installment-price-texts.ts";

export const TURKISH: InstallmentPriceTexts = {
  title: (account) => `Taksit fiyatları: ${account}`,
  link: "Taksit fiyatları",
  prices: "Geçerli fiyatlar",
  proposedPrices: "Önerilen fiyatlar",
  noPrices: "Fiyat yok: bütün taksitlerin maliyetini üye iş yeri karşılar, alıcı siparişin tutarını öder.",
  proposed: (who) => `${who} başka fiyatlar önerdi; başka birinin doğrulaması gerekir.`,
  otherProposal: (who) =>
    `${who} bu hesap için başka bir değişiklik önerdi. Yeni fiyatlar bu önerinin yerine geçer.`,
  confirm: "Fiyatları doğrula",
  confirmQuestion: "Alıcılardan önerilen fiyatlara göre tahsilat yapılsın mı?",
  change: "Fiyatları değiştir",
  save: "Fiyatları kaydet",
  hint: "Bu liste önceki listenin yerine geçer. Günler hesabın saat dilimine göre başlar. Oran, sipariş tutarının yüzdesidir.",
  priceNumber: (number) => `Fiyat ${number}`,
  loyalty: "Sadakat programı",
  noLoyalty: "programı olmayan kartlar",
  count: "Taksit",
  payer: "Ödeyen",
  payers: { MERCHANT: "üye iş yeri", BUYER: "alıcı" },
  rate: "Oran (%)",
  from: "İlk gün",
  to: "Geçerliliğin bittiği gün",
  noEnd: "süresiz",
};
