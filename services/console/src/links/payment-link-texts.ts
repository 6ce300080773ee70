import type { Language } from "@holdfast/html";

const ENGLISH = {
  links: "Payment links",
  link: "Payment link",
  newLink: "New link",
  description: "What is paid for",
  descriptionHint: "The buyer sees this text.",
  order: "Order number",
  amount: "Amount",
  currency: "Currency",
  use: "Can be paid",
  uses: { SINGLE: "once", MULTIPLE: "many times" },
  expires: "Expires",
  expiresIn: "Open for",
  durations: { day: "1 day", week: "7 days", month: "30 days", year: "365 days" },
  disabled: "Disabled",
  mode: "Mode",
  live: "Live",
  test: "Test",
  address: "Address",
  code: "QR code of the address",
  disable: "Disable link",
  confirmDisable: "Disable this link? Nobody can start a payment with it any more.",
  createLink: "Create link",
  copy: "Copy",
  copied: "Copied",
  noLinks:
    "There is no link in this mode. A link is the address of a page on which a buyer pays, without a shop.",
  noLinksYet: "Create the first one below.",
  askOwner: "Ask a colleague with the role owner to create links.",
  needFields: "Write an order number, what is paid for, and the amount as a number, such as 12.50.",
};

export type PaymentLinkTexts = typeof ENGLISH;

const TURKISH: PaymentLinkTexts = {
  links: "Ödeme bağlantıları",
  link: "Ödeme bağlantısı",
  newLink: "Yeni bağlantı",
  description: "Ödeme konusu",
  descriptionHint: "Ödemeyi yapan kişi bu metni görür.",
  order: "Sipariş numarası",
  amount: "Tutar",
  currency: "Para birimi",
  use: "Kaç kez ödenebilir",
  uses: { SINGLE: "bir kez", MULTIPLE: "birden çok kez" },
  expires: "Bitiş",
  expiresIn: "Açık kalma süresi",
  durations: { day: "1 gün", week: "7 gün", month: "30 gün", year: "365 gün" },
  disabled: "Kapatıldı",
  mode: "Mod",
  live: "Canlı",
  test: "Test",
  address: "Adresi",
  code: "Adresin karekodu",
  disable: "Bağlantıyı kapat",
  confirmDisable: "Bağlantı kapatılsın mı? Artık kimse bu bağlantıyla ödeme başlatamaz.",
  createLink: "Bağlantı oluştur",
  copy: "Kopyala",
  copied: "Kopyalandı",
  noLinks: "Bu modda bağlantı yok. Bağlantı, alıcının mağaza olmadan ödeme yaptığı bir sayfanın adresidir.",
  noLinksYet: "İlkini aşağıda oluşturun.",
  askOwner: "Bağlantı oluşturmasını owner rolü olan bir çalışma arkadaşınızdan isteyin.",
  needFields: "Sipariş numarasını, ödeme konusunu ve tutarı 12.50 gibi bir sayı olarak yazın.",
};

/** The texts of the pages about payment links. */
export const PAYMENT_LINK_TEXTS: Record<Language, PaymentLinkTexts> = { en: ENGLISH, tr: TURKISH };
