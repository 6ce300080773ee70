import type { Language } from "@holdfast/html";

/** All texts of the checkout page, in each of its languages. The compiler keeps the keys of both the same. */
const en = {
  locale: "en-GB",
  name: "English",
  switchLabel: "Language",
  title: (merchant: string) => `Pay ${merchant}`,
  testMode: "This is a test, and no payment is taken. Please do not enter a real card.",
  order: "Order",
  amount: "Amount to pay",
  amountOfClosed: "Amount",
  cardHeading: "Card details",
  pan: "Card number",
  cardHolderName: "Name on card",
  expiry: "Expiry date",
  expiryHint: "Month and year, for example 09\u00a0/\u00a028",
  expiryPlaceholder: "MM / YY",
  cvv: "Security code",
  cvvHint: "3 digits on the back of your card, or 4 on the front for American Express",
  installments: "Installments",
  installmentsHint: "Enter your card number to see the options for your card.",
  payInFull: "Pay in full",
  inInstallments: (count: number, amount: string) => `${count}\u00a0×\u00a0${amount}`,
  installmentsOfCard: (count: number) => `${count} installments`,
  inTotal: (total: string) => `${total} in total`,
  inTotalAfter: (first: string, total: string) => `first ${first}, ${total} in total`,
  pay: (amount: string) => `Pay ${amount}`,
  payChosen: "Pay",
  paying: "Paying…",
  payingStatus: "Your payment is being sent to your bank. Please keep this page open.",
  cancel: (merchant: string) => `Cancel and return to ${merchant}`,
  cancelHere: "Cancel",
  back: (merchant: string) => `Return to ${merchant}`,
  continueTo: (merchant: string) => `Continue to ${merchant}`,
  secure: "Your card details are encrypted and sent to the bank. The shop never sees them.",
  openUntil: "Please pay by",
  checkFields: "Please check the fields below.",
  attemptsLeft: (count: number) =>
    count === 1 ? "You can try once more." : `You can try ${count} more times.`,
  notCharged: "You have not been charged.",
  declinedHeading: "Your payment did not go through",
  completedHeading: "Payment received",
  paidOn: "Date",
  paidWith: "Card",
  cardEnding: (last4: string) => `•••• ${last4}`,
  reference: "Reference",
  print: "Print this page",
  completedText: (merchant: string) =>
    `Thank you. Your payment to ${merchant} is complete. We are taking you back to the shop.`,
  completedHere: (merchant: string) =>
    `Thank you. Your payment to ${merchant} is complete. You can close this page.`,
  expiredHeading: "This page has expired",
  expiredText: "The time to pay has run out. You have not been charged. Please start again in the shop.",
  expiredHere: "The time to pay has run out. You have not been charged. Please open the payment link again.",
  cancelledHeading: "Payment cancelled",
  cancelledText: "You have not been charged. We are taking you back to the shop.",
  cancelledHere: "You have not been charged. You can close this page.",
  exhaustedHeading: "This order can no longer be paid here",
  exhaustedText: "Too many cards were declined. You have not been charged. Please return to the shop.",
  exhaustedHere: "Too many cards were declined. You have not been charged. You can close this page.",
  waitingHeading: "Waiting for your bank",
  waitingText:
    "Your bank has not answered yet. Please do not pay again; this page shows the result as soon as it arrives.",
  challengeHeading: "Your bank needs to verify this payment",
  challengeText: "Please continue to your bank's page to approve the payment. You will then return here.",
  challengeAction: "Continue to your bank",
  challengeOther: "If you closed your bank's page, you can open it again here.",
  notFoundHeading: "Payment page not found",
  notFoundText: "The link may be incomplete. Please return to the shop and start again.",
  troubleHeading: "Payment is temporarily unavailable",
  troubleText: "This request did not start a payment. Please try again in a moment.",
  unreadableHeading: "This form could not be read",
  unreadableText: "This request did not start a payment. Please open the payment page again.",
  retry: "Try again",
};
export type PageTexts = typeof en;

const tr: PageTexts = {
  locale: "tr-TR",
  name: "Türkçe",
  switchLabel: "Dil",
  title: (merchant) => `${merchant} ödemesi`,
  testMode: "Bu bir test sayfasıdır; ödeme alınmaz. Lütfen gerçek bir kartın bilgilerini girmeyin.",
  order: "Sipariş",
  amount: "Ödenecek tutar",
  amountOfClosed: "Tutar",
  cardHeading: "Kart bilgileri",
  pan: "Kart numarası",
  cardHolderName: "Kart üzerindeki ad soyad",
  expiry: "Son kullanma tarihi",
  expiryHint: "Ay ve yıl, örneğin 09\u00a0/\u00a028",
  expiryPlaceholder: "AA / YY",
  cvv: "Güvenlik kodu",
  cvvHint: "Kartın arka yüzündeki 3 haneli kod; American Express kartlarda ön yüzdeki 4 haneli kod",
  installments: "Taksit seçenekleri",
  installmentsHint: "Kartınıza sunulan seçenekleri görmek için kart numaranızı girin.",
  payInFull: "Tek çekim",
  inInstallments: (count, amount) => `${count}\u00a0×\u00a0${amount}`,
  installmentsOfCard: (count) => `${count} taksit`,
  inTotal: (total) => `toplam ${total}`,
  inTotalAfter: (first, total) => `ilki ${first}, toplam ${total}`,
  pay: (amount) => `${amount} öde`,
  payChosen: "Öde",
  paying: "Ödeniyor…",
  payingStatus: "Ödemeniz bankanıza iletiliyor. Lütfen bu sayfayı kapatmayın.",
  cancel: (merchant) => `Vazgeç ve ${merchant} sitesine dön`,
  cancelHere: "Vazgeç",
  back: (merchant) => `${merchant} sitesine dön`,
  continueTo: (merchant) => `${merchant} sitesine devam et`,
  secure: "Kart bilgileriniz şifrelenerek bankaya iletilir. İşletme bu bilgileri görmez.",
  openUntil: "Son ödeme zamanı:",
  checkFields: "Lütfen aşağıdaki alanları kontrol edin.",
  attemptsLeft: (count) => `${count} deneme hakkınız daha var.`,
  notCharged: "Kartınızdan para çekilmedi.",
  declinedHeading: "Ödemeniz gerçekleştirilemedi",
  completedHeading: "Ödeme alındı",
  paidOn: "Tarih",
  paidWith: "Kart",
  cardEnding: (last4) => `•••• ${last4}`,
  reference: "Referans",
  print: "Bu sayfayı yazdır",
  completedText: (merchant) =>
    `Teşekkür ederiz. ${merchant} için ödemeniz tamamlandı. İşletmenin sitesine yönlendiriliyorsunuz.`,
  completedHere: (merchant) =>
    `Teşekkür ederiz. ${merchant} için ödemeniz tamamlandı. Bu sayfayı kapatabilirsiniz.`,
  expiredHeading: "Bu sayfanın süresi doldu",
  expiredText:
    "Ödeme için tanınan süre doldu. Kartınızdan para çekilmedi. Lütfen işletmenin sitesinden yeniden deneyin.",
  expiredHere:
    "Ödeme için tanınan süre doldu. Kartınızdan para çekilmedi. Lütfen ödeme bağlantısını yeniden açın.",
  cancelledHeading: "Ödeme iptal edildi",
  cancelledText: "Kartınızdan para çekilmedi. İşletmenin sitesine yönlendiriliyorsunuz.",
  cancelledHere: "Kartınızdan para çekilmedi. Bu sayfayı kapatabilirsiniz.",
  exhaustedHeading: "Bu sipariş artık buradan ödenemez",
  exhaustedText: "Çok sayıda kart reddedildi. Kartınızdan para çekilmedi. Lütfen işletmenin sitesine dönün.",
  exhaustedHere: "Çok sayıda kart reddedildi. Kartınızdan para çekilmedi. Bu sayfayı kapatabilirsiniz.",
  waitingHeading: "Bankanızın yanıtı bekleniyor",
  waitingText:
    "Bankanız henüz yanıt vermedi. Lütfen yeniden ödeme yapmayın; sonuç ulaştığında bu sayfada gösterilir.",
  challengeHeading: "Bankanızın bu ödemeyi doğrulaması gerekiyor",
  challengeText: "Ödemeyi onaylamak için lütfen bankanızın sayfasına geçin. Ardından bu sayfaya dönersiniz.",
  challengeAction: "Bankanızın sayfasına git",
  challengeOther: "Bankanızın sayfasını kapattıysanız buradan yeniden açabilirsiniz.",
  notFoundHeading: "Ödeme sayfası bulunamadı",
  notFoundText: "Bağlantı eksik olabilir. Lütfen işletmenin sitesine dönüp yeniden deneyin.",
  troubleHeading: "Şu anda işlem yapılamıyor",
  troubleText: "Bu istekle bir ödeme başlatılmadı. Lütfen biraz sonra yeniden deneyin.",
  unreadableHeading: "Form okunamadı",
  unreadableText: "Bu istekle bir ödeme başlatılmadı. Lütfen ödeme sayfasını yeniden açın.",
  retry: "Yeniden dene",
};

export const PAGE_TEXTS: Record<Language, PageTexts> = { en, tr };

/** The faults of the form, by field; the page's script knows them, too. */
const enFaults = {
  "pan.required": "Enter your card number.",
  "pan.invalid": "A card number has 12 to 19 digits.",
  "pan.length": "This card number is too short or too long.",
  "pan.luhn": "This card number is not valid. Please check it.",
  "pan.in_checkout":
    "The shop's order details contain this card number, which is not allowed. You cannot pay with this card here, and no payment was started. Please use another card or tell the shop.",
  "cardHolderName.required": "Enter the name on your card.",
  "cardHolderName.invalid": "Enter the name as it appears on your card (2 to 45 characters).",
  "cardHolderName.card_number": "Enter the name on your card here, not the card number.",
  "expiry.required": "Enter your card's expiry date.",
  "expiry.invalid": "Enter the month and year with two digits each, for example 09\u00a0/\u00a028.",
  "expiry.expired": "This card has expired.",
  "expiry.too_far": "This expiry date is too far in the future. Please check it.",
  "cvv.required": "Enter your card's security code.",
  "cvv.invalid": "The security code has 3 digits, or 4 for American Express.",
  "installmentCount.invalid": "Your card does not support this number of installments.",
  "installmentCount.price":
    "These installments cost what is shown here. You have not been charged. Please check the total, and pay again if you agree.",
  "form.stale": "This form has expired. Please enter your card details again.",
  "form.busy": "We could not process your request, and no payment was started. Please try again.",
  "form.incomplete":
    "The shop has not sent all details that the bank requires, so no payment was started. Please return to the shop and tell them.",
  "form.unsure":
    "We could not confirm your payment. Please press the button again; you will not be charged twice.",
};
export type FaultText = keyof typeof enFaults;

const trFaults: Record<FaultText, string> = {
  "pan.required": "Kart numaranızı girin.",
  "pan.invalid": "Kart numarası 12 ila 19 haneli olmalıdır.",
  "pan.length": "Bu kart numarası çok kısa veya çok uzun.",
  "pan.luhn": "Bu kart numarası geçerli değil. Lütfen kontrol edin.",
  "pan.in_checkout":
    "Sipariş bilgilerinde bu kartın numarası yer alıyor; buna izin verilmez. Burada bu kartla ödeme yapamazsınız ve ödeme başlatılmadı. Lütfen başka bir kart kullanın veya durumu işletmeye bildirin.",
  "cardHolderName.required": "Kart üzerindeki ad soyadı girin.",
  "cardHolderName.invalid": "Ad soyadı kartınızda yazdığı gibi girin (2 ila 45 karakter).",
  "cardHolderName.card_number": "Bu alana kart numarasını değil, kart üzerindeki ad soyadı girin.",
  "expiry.required": "Kartınızın son kullanma tarihini girin.",
  "expiry.invalid": "Ay ve yılı ikişer haneyle girin, örneğin 09\u00a0/\u00a028.",
  "expiry.expired": "Bu kartın süresi dolmuş.",
  "expiry.too_far": "Bu son kullanma tarihi çok ileride. Lütfen kontrol edin.",
  "cvv.required": "Kartınızın güvenlik kodunu girin.",
  "cvv.invalid": "Güvenlik kodu 3 haneli, American Express kartlarda 4 haneli olmalıdır.",
  "installmentCount.invalid": "Kartınız bu taksit sayısını desteklemiyor.",
  "installmentCount.price":
    "Bu taksitlerin toplam tutarı burada gösterilmektedir. Kartınızdan para çekilmedi. Lütfen toplamı kontrol edin ve kabul ediyorsanız yeniden ödeyin.",
  "form.stale": "Bu formun süresi doldu. Lütfen kart bilgilerinizi yeniden girin.",
  "form.busy": "İşleminiz gerçekleştirilemedi ve ödeme başlatılmadı. Lütfen yeniden deneyin.",
  "form.incomplete":
    "İşletme, bankanın istediği bilgilerin tamamını göndermemiş; bu nedenle ödeme başlatılmadı. Lütfen işletmenin sitesine dönüp durumu bildirin.",
  "form.unsure": "Ödemenizi doğrulayamadık. Lütfen düğmeye yeniden basın; kartınızdan iki kez para çekilmez.",
};

export const FAULT_TEXTS: Record<Language, Record<FaultText, string>> = { en: enFaults, tr: trFaults };

/** @returns the text of a fault, else the field's general text, or undefined. */
export function faultText(language: Language, fault: string): string | undefined {
  const texts: Record<string, string> = FAULT_TEXTS[language];
  return texts[fault] ?? texts[`${fault.split(".")[0]}.invalid`];
}

/**
 * Texts for the reasons of a decline, by result code. Other reasons are the bank's secret, and get the first
 * text, which is always true.
 */
const REASONS: Record<Language, Record<string, string>> = {
  en: {
    declined: "The payment was declined. Please try another card or contact your bank.",
    "14": "Your bank does not know this card number. Please check it.",
    "51": "This card has insufficient funds or credit. Please try another card.",
    "54": "According to your bank, this card has expired. Please try another card.",
    acquirer_unavailable: "We could not reach the bank. Please try again.",
    deadline_passed: "The payment took too long. Please try again.",
    reversed: "Your bank did not answer in time. Any amount it reserved is being released. Please try again.",
    authentication_failed: "Your bank could not verify this payment. Please try again or use another card.",
    authentication_cancelled:
      "You cancelled the verification on your bank's page. Please try again or use another card.",
    authentication_incomplete:
      "Your bank's verification was not completed. Please try again or use another card.",
    abandoned: "Your bank's verification was not completed in time. Please try again or use another card.",
  },
  tr: {
    declined: "Ödeme reddedildi. Lütfen başka bir kart deneyin veya bankanızla iletişime geçin.",
    "14": "Bankanız bu kart numarasını tanımıyor. Lütfen kontrol edin.",
    "51": "Bu kartın bakiyesi veya limiti yetersiz. Lütfen başka bir kart deneyin.",
    "54": "Bankanıza göre bu kartın süresi dolmuş. Lütfen başka bir kart deneyin.",
    acquirer_unavailable: "Bankaya ulaşılamadı. Lütfen yeniden deneyin.",
    deadline_passed: "İşlem çok uzun sürdü. Lütfen yeniden deneyin.",
    reversed:
      "Bankanız zamanında yanıt vermedi. Bloke edilmiş olabilecek tutar serbest bırakılıyor. Lütfen yeniden deneyin.",
    authentication_failed:
      "Bankanız bu ödemeyi doğrulayamadı. Lütfen yeniden deneyin veya başka bir kart kullanın.",
    authentication_cancelled:
      "Bankanızın sayfasında doğrulamayı iptal ettiniz. Yeniden deneyebilir veya başka bir kart kullanabilirsiniz.",
    authentication_incomplete:
      "Banka doğrulaması tamamlanmadı. Lütfen yeniden deneyin veya başka bir kart kullanın.",
    abandoned:
      "Banka doğrulaması zamanında tamamlanmadı. Lütfen yeniden deneyin veya başka bir kart kullanın.",
  },
};

/** The result codes that have a text of their own, and `declined` for all others. */
export const DECLINE_REASONS = Object.keys(REASONS.en);

export function declineText(language: Language, resultCode: string | undefined): string {
  return REASONS[language][resultCode ?? ""] ?? REASONS[language]["declined"]!;
}
