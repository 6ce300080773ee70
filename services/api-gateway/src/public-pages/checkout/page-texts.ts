import type { Language } from "../choose-language.ts";

/** Everything the checkout page says, in each of its languages. Both have the same keys; the compiler sees to it. */
const en = {
  locale: "en-GB",
  name: "English",
  switchLabel: "Language",
  title: (merchant: string) => `Pay ${merchant}`,
  order: "Order",
  amount: "Amount to pay",
  amountOfClosed: "Amount",
  cardHeading: "Card details",
  pan: "Card number",
  cardHolderName: "Name on card",
  expiry: "Expiry date",
  expiryHint: "Month and year, such as 09 / 28",
  expiryPlaceholder: "MM / YY",
  cvv: "Security code",
  cvvHint: "Three digits on the back of the card; American Express: four on the front",
  installments: "Installments",
  installmentsHint: "What your card offers is shown once its number is typed.",
  payAtOnce: "Pay at once",
  inInstallments: (count: number, amount: string) => `${count} installments of ${amount}`,
  inInstallmentsAbout: (count: number, amount: string) => `${count} installments of about ${amount}`,
  pay: (amount: string) => `Pay ${amount}`,
  paying: "Paying…",
  payingStatus: "Your payment is being sent to your bank. Please keep this page open.",
  cancel: (merchant: string) => `Cancel and return to ${merchant}`,
  back: (merchant: string) => `Return to ${merchant}`,
  continueTo: (merchant: string) => `Continue to ${merchant}`,
  secure: "Your card details are encrypted and go to the bank. The shop never sees them.",
  openUntil: "This page can be used until",
  checkFields: "Please check the fields below.",
  attemptsLeft: (count: number) =>
    count === 1 ? "You can try once more." : `You can try ${count} more times.`,
  notCharged: "You have not been charged.",
  declinedHeading: "The payment did not go through",
  completedHeading: "Payment received",
  completedText: (merchant: string) =>
    `Thank you. Your payment to ${merchant} is complete. You are being taken back to the shop.`,
  expiredHeading: "This page has expired",
  expiredText: "The time to pay has run out and nothing was charged. Please start again in the shop.",
  cancelledHeading: "Payment cancelled",
  cancelledText: "Nothing was charged. You are being taken back to the shop.",
  exhaustedHeading: "This order cannot be paid here any more",
  exhaustedText: "Too many cards were declined. You have not been charged. Please go back to the shop.",
  waitingHeading: "Waiting for your bank",
  waitingText:
    "Your bank has not given its answer yet. Please do not pay again: this page shows the result as soon as it is there.",
  challengeHeading: "Your bank wants to be sure that it is you",
  challengeText: "Please go on to your bank's page to approve the payment. It brings you back here.",
  challengeAction: "Continue to your bank",
  challengeOther: "If you have closed the bank's page, open it again here.",
  notFoundHeading: "There is nothing to pay here",
  notFoundText: "The address may be incomplete. Please go back to the shop and start again.",
  troubleHeading: "This does not work at the moment",
  troubleText: "Nothing was started by this request. Please try again in a moment.",
  retry: "Try again",
};
export type PageTexts = typeof en;

const tr: PageTexts = {
  locale: "tr-TR",
  name: "Türkçe",
  switchLabel: "Dil",
  title: (merchant) => `${merchant} ödemesi`,
  order: "Sipariş",
  amount: "Ödenecek tutar",
  amountOfClosed: "Tutar",
  cardHeading: "Kart bilgileri",
  pan: "Kart numarası",
  cardHolderName: "Kartın üzerindeki ad",
  expiry: "Son kullanma tarihi",
  expiryHint: "Ay ve yıl, örneğin 09 / 28",
  expiryPlaceholder: "AA / YY",
  cvv: "Güvenlik kodu",
  cvvHint: "Kartın arkasındaki üç rakam; American Express için öndeki dört rakam",
  installments: "Taksit seçenekleri",
  installmentsHint: "Kartınızın seçenekleri, numarası yazılınca gösterilir.",
  payAtOnce: "Tek çekim",
  inInstallments: (count, amount) => `${count} taksit, ayda ${amount}`,
  inInstallmentsAbout: (count, amount) => `${count} taksit, ayda yaklaşık ${amount}`,
  pay: (amount) => `${amount} öde`,
  paying: "Ödeniyor…",
  payingStatus: "Ödemeniz bankanıza gönderiliyor. Lütfen bu sayfayı kapatmayın.",
  cancel: (merchant) => `Vazgeç ve ${merchant} sitesine dön`,
  back: (merchant) => `${merchant} sitesine dön`,
  continueTo: (merchant) => `${merchant} sitesine devam et`,
  secure: "Kart bilgileriniz şifrelenir ve bankaya iletilir. İşletme bu bilgileri görmez.",
  openUntil: "Bu sayfanın geçerli olduğu son saat:",
  checkFields: "Lütfen aşağıdaki alanları kontrol edin.",
  attemptsLeft: (count) => `${count} deneme hakkınız daha var.`,
  notCharged: "Kartınızdan para çekilmedi.",
  declinedHeading: "Ödeme gerçekleşmedi",
  completedHeading: "Ödeme alındı",
  completedText: (merchant) =>
    `Teşekkürler. ${merchant} için ödemeniz tamamlandı. İşletmenin sitesine yönlendiriliyorsunuz.`,
  expiredHeading: "Bu sayfanın süresi doldu",
  expiredText:
    "Ödeme süresi doldu, kartınızdan para çekilmedi. Lütfen işletmenin sitesinden yeniden başlayın.",
  cancelledHeading: "Ödeme iptal edildi",
  cancelledText: "Kartınızdan para çekilmedi. İşletmenin sitesine yönlendiriliyorsunuz.",
  exhaustedHeading: "Bu sipariş artık buradan ödenemez",
  exhaustedText: "Çok sayıda kart reddedildi. Kartınızdan para çekilmedi. Lütfen işletmenin sitesine dönün.",
  waitingHeading: "Bankanızın yanıtı bekleniyor",
  waitingText:
    "Bankanız henüz yanıt vermedi. Lütfen tekrar ödeme yapmayın: sonuç gelir gelmez bu sayfada gösterilir.",
  challengeHeading: "Bankanız sizi doğrulamak istiyor",
  challengeText: "Ödemeyi onaylamak için lütfen bankanızın sayfasına geçin. Sonra buraya dönersiniz.",
  challengeAction: "Bankanızın sayfasına geç",
  challengeOther: "Bankanın sayfasını kapattıysanız buradan yeniden açabilirsiniz.",
  notFoundHeading: "Burada ödenecek bir şey yok",
  notFoundText: "Adres eksik olabilir. Lütfen işletmenin sitesine dönüp yeniden başlayın.",
  troubleHeading: "Şu anda işlem yapılamıyor",
  troubleText: "Bu istekle hiçbir işlem başlatılmadı. Lütfen biraz sonra yeniden deneyin.",
  retry: "Yeniden dene",
};

export const PAGE_TEXTS: Record<Language, PageTexts> = { en, tr };

/** What is wrong with the form, by field and fault; the page's script knows them, too. */
const enFaults = {
  "pan.required": "Type the number on your card.",
  "pan.invalid": "A card number has 12 to 19 digits.",
  "pan.length": "This number is too short or too long for this kind of card.",
  "pan.luhn": "This is not a card number. Please compare it with your card.",
  "cardHolderName.required": "Type the name on your card.",
  "cardHolderName.invalid": "Type the name as it is on your card, with 2 to 45 characters.",
  "cardHolderName.contains_card_number": "This is for the name, not for the card number.",
  "expiry.required": "Type the month and year on your card.",
  "expiry.invalid": "Type month and year with two digits each, such as 09 / 28.",
  "expiry.expired": "This card has expired.",
  "expiry.too_far": "This date is too far away. Please compare it with your card.",
  "cvv.required": "Type the security code of your card.",
  "cvv.invalid": "The code has three digits, with American Express four.",
  "installmentCount.invalid": "Your card does not offer this number of installments.",
  "form.stale": "This form was out of date. Please type your card again.",
  "form.busy": "That did not work just now and nothing was started. Please try again.",
  "form.unsure":
    "We cannot see whether your payment has arrived. Please press the button again: you pay once at most.",
};
export type FaultText = keyof typeof enFaults;

const trFaults: Record<FaultText, string> = {
  "pan.required": "Kartınızın üzerindeki numarayı yazın.",
  "pan.invalid": "Kart numarası 12 ile 19 rakamdan oluşur.",
  "pan.length": "Bu numara bu kart türü için çok kısa veya çok uzun.",
  "pan.luhn": "Bu bir kart numarası değil. Lütfen kartınızla karşılaştırın.",
  "cardHolderName.required": "Kartın üzerindeki adı yazın.",
  "cardHolderName.invalid": "Adı kartınızda yazdığı gibi, 2 ile 45 karakter arasında yazın.",
  "cardHolderName.contains_card_number": "Bu alan ad içindir, kart numarası için değil.",
  "expiry.required": "Kartınızın üzerindeki ay ve yılı yazın.",
  "expiry.invalid": "Ay ve yılı ikişer rakamla yazın, örneğin 09 / 28.",
  "expiry.expired": "Bu kartın süresi dolmuş.",
  "expiry.too_far": "Bu tarih çok ileride. Lütfen kartınızla karşılaştırın.",
  "cvv.required": "Kartınızın güvenlik kodunu yazın.",
  "cvv.invalid": "Kod üç rakamdan, American Express kartlarda dört rakamdan oluşur.",
  "installmentCount.invalid": "Kartınız bu taksit sayısını sunmuyor.",
  "form.stale": "Bu form güncelliğini yitirmişti. Lütfen kartınızı yeniden yazın.",
  "form.busy": "Şu anda olmadı, hiçbir işlem başlatılmadı. Lütfen yeniden deneyin.",
  "form.unsure":
    "Ödemenizin ulaşıp ulaşmadığını göremiyoruz. Lütfen düğmeye yeniden basın: en fazla bir kez ödersiniz.",
};

export const FAULT_TEXTS: Record<Language, Record<FaultText, string>> = { en: enFaults, tr: trFaults };

/** @returns the text of a fault, of the field's general one where it has none of its own, or nothing. */
export function faultText(language: Language, fault: string): string | undefined {
  const texts: Record<string, string> = FAULT_TEXTS[language];
  return texts[fault] ?? texts[`${fault.split(".")[0]}.invalid`];
}

/**
 * Why the bank said no, by its result code; what is not here is the bank's secret, and the first text is true of it.
 */
const REASONS: Record<Language, Record<string, string>> = {
  en: {
    declined: "The payment was declined. Please try another card or ask your bank.",
    "14": "Your bank does not know this card number. Please compare it with your card.",
    "51": "There is not enough money or credit on this card. Please try another one.",
    "54": "Your bank says that this card has expired. Please try another one.",
    acquirer_unavailable: "The bank could not be reached. Please try again.",
    deadline_passed: "This took too long. Please try again.",
    reversed:
      "Your bank did not answer in time; what it may have reserved is being released. Please try again.",
    authentication_failed:
      "Your bank could not confirm that it is you. Please try again or use another card.",
    authentication_cancelled: "You cancelled on your bank's page. Please try again or use another card.",
    authentication_incomplete: "Your bank's check was not finished. Please try again or use another card.",
    abandoned: "Your bank's check was not finished in time. Please try again or use another card.",
  },
  tr: {
    declined: "Ödeme reddedildi. Lütfen başka bir kart deneyin veya bankanıza danışın.",
    "14": "Bankanız bu kart numarasını tanımıyor. Lütfen kartınızla karşılaştırın.",
    "51": "Bu kartın bakiyesi veya limiti yetersiz. Lütfen başka bir kart deneyin.",
    "54": "Bankanıza göre bu kartın süresi dolmuş. Lütfen başka bir kart deneyin.",
    acquirer_unavailable: "Bankaya ulaşılamadı. Lütfen yeniden deneyin.",
    deadline_passed: "İşlem çok uzun sürdü. Lütfen yeniden deneyin.",
    reversed:
      "Bankanız zamanında yanıt vermedi; ayrılmış olabilecek tutar geri bırakılıyor. Lütfen yeniden deneyin.",
    authentication_failed:
      "Bankanız sizi doğrulayamadı. Lütfen yeniden deneyin veya başka bir kart kullanın.",
    authentication_cancelled:
      "Bankanızın sayfasında vazgeçtiniz. Yeniden deneyebilir veya başka bir kart kullanabilirsiniz.",
    authentication_incomplete:
      "Bankanızın doğrulaması tamamlanmadı. Lütfen yeniden deneyin veya başka bir kart kullanın.",
    abandoned:
      "Bankanızın doğrulaması zamanında tamamlanmadı. Lütfen yeniden deneyin veya başka bir kart kullanın.",
  },
};

export function declineText(language: Language, resultCode: string | undefined): string {
  return REASONS[language][resultCode ?? ""] ?? REASONS[language]["declined"]!;
}
