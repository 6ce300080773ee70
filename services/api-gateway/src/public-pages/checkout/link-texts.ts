import type { Language } from "@holdfast/html";

/** Texts of a payment link's page, and of a link's checkout; by the link's status if it cannot be paid. */
type LinkTexts = { payFor: string; begin: string; hint: string } & Record<
  "USED" | "TAKEN" | "EXPIRED" | "DISABLED",
  readonly [heading: string, text: string]
>;

export const LINK_TEXTS: Record<Language, LinkTexts> = {
  en: {
    payFor: "Payment for",
    begin: "Continue to payment",
    hint: "You enter your card details on the next page. Nothing is charged yet.",
    USED: [
      "This payment link has been paid",
      "It can be paid only once, and it has been paid. Opening it did not charge you.",
    ],
    TAKEN: [
      "Somebody is paying with this link",
      "It can be paid only once, and another payment is being processed. You have not been charged. Please try again in a few minutes.",
    ],
    EXPIRED: [
      "This payment link has expired",
      "The time to pay has run out. You have not been charged. Please ask the merchant for a new link.",
    ],
    DISABLED: [
      "This payment link is no longer active",
      "The merchant has disabled it. You have not been charged. Please ask the merchant for a new link.",
    ],
  },
  tr: {
    payFor: "Ödeme konusu",
    begin: "Ödemeye geç",
    hint: "Kart bilgilerinizi sonraki sayfada girersiniz. Bu adımda kartınızdan para çekilmez.",
    USED: [
      "Bu ödeme bağlantısı kullanıldı",
      "Bu bağlantıyla yalnızca bir kez ödeme yapılabilir ve bu ödeme yapılmış. Bağlantıyı açtığınızda kartınızdan para çekilmedi.",
    ],
    TAKEN: [
      "Bu bağlantıyla şu anda ödeme yapılıyor",
      "Bu bağlantıyla yalnızca bir kez ödeme yapılabilir ve başka bir ödeme işleniyor. Kartınızdan para çekilmedi. Lütfen birkaç dakika sonra yeniden deneyin.",
    ],
    EXPIRED: [
      "Bu ödeme bağlantısının süresi doldu",
      "Ödeme için tanınan süre doldu. Kartınızdan para çekilmedi. Lütfen işletmeden yeni bir bağlantı isteyin.",
    ],
    DISABLED: [
      "Bu ödeme bağlantısı artık etkin değil",
      "İşletme bağlantıyı kapattı. Kartınızdan para çekilmedi. Lütfen işletmeden yeni bir bağlantı isteyin.",
    ],
  },
};
