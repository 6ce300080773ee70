/**
 * The codes with which the gateway itself refuses, without the prefix CORE (Nestpay protocol, codes), and their texts in
 * Turkish and English. `2100` is the gateway's own trouble, which has no CORE code of that number.
 */
const refusalTexts = {
  1006: ["Mode alanı geçersiz", "Mode is not valid"],
  1007: ["PbOrder alanı geçersiz", "PbOrder is not valid"],
  1010: ["Para birimi geçersiz", "The currency is not valid"],
  1011: ["Bir alan çok uzun", "A field is too long"],
  1015: ["Sipariş numarası çok uzun", "OrderId is too long"],
  1023: ["Taksit sayısı geçersiz", "The installment count is not valid"],
  1024: ["Tutar geçersiz veya negatif", "The amount is not valid or negative"],
  1028: ["TransId sadece iptal işleminde kullanılabilir", "TransId is for Void only"],
  2001: ["İşlem tipi geçersiz", "Type is not valid"],
  2002: ["İptal için parametre eksik", "Void lacks parameters"],
  2003: ["İşlem tipi boş", "Type is empty"],
  2008: ["İptal edilmeye uygun satış işlemi bulunamadı", "There is nothing to void"],
  2009: ["Tutar sıfır olamaz", "The amount is zero"],
  2010: ["Kartın son kullanma tarihi geçmiş", "The card has expired"],
  2011: ["Son kullanma tarihi formatı hatalı", "The format of Expires is wrong"],
  2012: ["Kredi kartı numarası geçerli formatta değil", "The card number is not valid"],
  2014: ["Sorgu XML'i hatalı", "The XML is not valid"],
  2015: ["Kredi kartı numarası eksik", "The card number is missing"],
  2016: ["Siparişin bekleyen işlemi var", "The order has a waiting transaction"],
  2100: ["Sistem başlatma hatası", "system based initialization problem"],
  2115: ["PostAuth sadece PreAuth işlemine yapılabilir", "PostAuth is for a PreAuth only"],
  2116: ["Siparişin başarılı işlemi yok", "The order has no successful transaction"],
  2117: ["Siparişin kapanmış işlemi yok", "Nothing of the order is settled"],
  2119: ["Para birimi siparişinkinden farklı", "The currency is not the order's"],
  2121: ["XID, CAVV veya ECI eşleşmiyor", "XID, CAVV or ECI do not match"],
  2123: ["İade edilecek sipariş bulunamadı", "There is no order to refund"],
  2124: ["Dövizli işlemde taksit yapılamaz", "There are no installments in foreign currency"],
  2126: ["İşyeri kapalı", "The merchant is closed"],
  2127: ["Aynı XID ile ikinci işlem yapılamaz", "The same XID was used twice"],
  2133: ["Birden fazla iptal edilebilir işlem var", "Several transactions can be voided"],
  2201: ["Kullanıcı doğrulanamadı", "The user could not be authenticated"],
  2204: ["İşyerinin taksit yetkisi yok", "Installments are not permitted to the merchant"],
  2206: ["MD durumu kabul edilemez", "The MD status is not acceptable"],
  2208: ["CVV zorunludur", "The CVV is required"],
  2254: ["IP adresi izinli değil", "The address is not allowed"],
  2301: ["Sipariş numarası geçersiz", "The order id is not valid"],
  2302: ["Sipariş numarası kullanımda", "The order id is in use"],
  2304: ["Siparişin çalışan başka bir işlemi var", "Another transaction of the order is running"],
  2311: ["Sanal terminal kilitli", "The virtual terminal is locked"],
  2503: ["İade tutarı net tutardan büyük", "The refund exceeds the net amount"],
  2504: ["Net Tutar 0.", "The net amount is 0."],
  2505: ["PostAuth tutarı PreAuth tutarından büyük", "The PostAuth exceeds the hold"],
  2507: [
    "Bu sipariş numarası ile zaten başarılı bir sipariş var",
    "There is a successful order with this order id",
  ],
  2508: ["İade yapılamaz, sipariş günsonuna girmemiş", "No refund: the order is not through the day's end"],
  2509: ["Sipariş numarasıyla uyuşan PreAuth yok", "There is no matching PreAuth"],
  2511: ["İptal edilemez, gün sonu alınmış; iade yapınız", "Cannot be voided, settled: refund it"],
  2512: ["PreAuth tutarı aşılamaz", "The hold may not be exceeded"],
  2513: ["PreAuth üzerinden 15 gün geçmiş", "The hold is older than 15 days"],
  2515: ["CVV geçersiz", "The CVV is not valid"],
  2601: ["Taksit sayısı uyuşmuyor", "The installments do not match"],
  2603: ["Taksit tablosu için geçersiz değer", "The value is not valid for the installment table"],
} as const satisfies Record<number, readonly [turkish: string, english: string]>;

export type RefusalCode = keyof typeof refusalTexts;

/** The codes of ISO 8583 with which an issuer or its host declines. */
const issuerTexts = {
  "05": ["Genel red", "Do not honour"],
  51: ["Limit yetersiz", "Insufficient funds"],
  54: ["Kartın süresi dolmuş", "Expired card"],
  82: ["Hatalı CVV", "Incorrect CVV"],
  91: ["Kartı veren banka hizmet dışı", "The issuer is not available"],
  92: ["Zaman aşımı, işlem iptal ediliyor", "Time-out, the transaction is being reversed"],
  96: ["Sistem hatası", "System error"],
} as const satisfies Record<string, readonly [turkish: string, english: string]>;

/** An object's key 51 has the type of a number; on the wire it is two characters. */
export type IssuerCode = "05" | "51" | "54" | "82" | "91" | "92" | "96";

/** A refusal by the bank's gateway, which is a number, or a decline by the issuer; undefined approves. */
export type Verdict = RefusalCode | IssuerCode | undefined;

export function textOf(code: RefusalCode | IssuerCode, language: "tr" | "en"): string {
  const texts = typeof code === "number" ? refusalTexts[code] : issuerTexts[code];
  return texts[language === "tr" ? 0 : 1];
}

export function resultCodeOf(verdict: Verdict): string {
  return typeof verdict === "number" ? `CORE-${verdict}` : (verdict ?? "00");
}
