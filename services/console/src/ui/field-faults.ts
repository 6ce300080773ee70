import { RANGE_DAYS_MAX } from "@holdfast/contracts";
import type { Language } from "@holdfast/html";
import type { FieldFault, PageContext, Reader } from "./page-context.ts";

/** The fault of a field, for the place beside it. @param field as the request names it. */
export function faultAt(context: PageContext, field: string): string | undefined {
  return shownFault(context, (fault) => fault.field === field);
}

/** The first fault within a field that is shown as a whole: `headers.2.value` is within `headers`. */
export function faultWithin(context: PageContext, field: string): string | undefined {
  return shownFault(context, (fault) => fault.field === field || fault.field.startsWith(`${field}.`));
}

/**
 * The fault of a field, if the form with this input was sent: another form of the page may have a field of
 * that name.
 */
export function faultOfSent(context: PageContext, input: string, field = input): string | undefined {
  return context.form.has(input) ? faultAt(context, field) : undefined;
}

/** The first fault that one place is for. The notice above the page names none of them again. */
function shownFault(
  { faults = [], reader }: PageContext,
  isHere: (fault: FieldFault) => boolean,
): string | undefined {
  const found = faults.filter(isHere);
  for (const fault of found) fault.isShown = true;
  return found[0] && faultText(reader, found[0]);
}

/** The faults that the console itself finds in a form: a sentence for each field that has one. */
export function needsOf(sentences: Record<string, string | false | undefined>): FieldFault[] {
  return Object.entries(sentences).flatMap(([field, message]) => (message ? [{ field, message }] : []));
}

/** A fault in the reader's language; for an unknown code, the gateway's own text. */
export function faultText({ language }: Reader, { code = "", message }: FieldFault): string {
  return IN_OTHER_LANGUAGES[language]?.[code] ?? message;
}

const TURKISH: Record<string, string> = {
  required: "zorunludur",
  invalid_type: "bu alana yazılabilecek bir değer değil",
  invalid_value: "seçilebilecek bir değer değil",
  invalid_format: "biçimi geçerli değil",
  out_of_range: "izin verilen aralıkta değil",
  too_small: "çok küçük",
  too_big: "çok büyük",
  too_short: "çok kısa",
  too_long: "çok uzun",
  invalid_characters: "geçersiz karakter içeriyor",
  card_number: "kart numarası içeriyor",
  invalid_amount: "geçerli bir tutar değil",
  must_be_positive: "sıfırdan büyük olmalı",
  too_many_decimals: "para biriminin izin verdiğinden çok ondalık hanesi var",
  too_large: "çok büyük",
  invalid_currency: "ISO 4217 para birimi kodu değil",
  invalid_ip_address: "203.0.113.0/24 gibi bir adres aralığı olmalı",
  invalid_url: "geçerli bir URL değil",
  not_https: "https ile başlamalı",
  has_credentials: "kullanıcı adı veya parola içeremez",
  has_fragment: "# içeremez",
  port_not_allowed: "izin verilmeyen bir port kullanıyor",
  address_not_allowed: "internetten erişilebilen bir adrese götürmüyor",
  not_allowed: "izin verilmiyor",
  duplicate: "iki kez yazılmış",
  invalid_cursor: "bu listenin bir sayfası değil",
  range_required: `en çok ${RANGE_DAYS_MAX} gün aralıklı bir başlangıç ve bitiş ister`,
  invalid_range: "başlangıçtan sonra olmalı",
  acquirer_account_not_found: "bu modun bir hesabı değil",
  nothing_to_change: "değişen bir şey yok",
  secrets_required: "adres değiştiği için yeniden girilmeli",
  unknown_field: "bilinmeyen bir alan içeriyor",
  no_account_follows:
    "bu ödemeler için, aynı para birimiyle başka bir bankadaki hesaba giden sonraki bir yönlendirme ister",
  never_applies: "hiç uygulanmaz: önceki bir kural bütün ödemelerini kapsıyor",
  low_contrast: "üzerindeki beyaz yazı okunmaz: daha koyu bir renk seçin (kontrast en az 4,5)",
  invalid_logo: "yalnız path, rect, circle, ellipse ve polygon içeren bir SVG olmalı",
};

const IN_OTHER_LANGUAGES: Partial<Record<Language, Record<string, string>>> = { tr: TURKISH };
