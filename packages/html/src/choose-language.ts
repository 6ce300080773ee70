import { keepFormatters } from "./keep-formatters.ts";

/** The languages of the public pages. */
export const LANGUAGES = ["en", "tr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language a buyer reads, and the locale that amounts are written for. */
export type BuyerLocale = { language: Language; locale: string };

/**
 * The language that was chosen on the page, else the first of the browser's (RFC 9110, Accept-Language) that we have,
 * else English. The region counts for numbers: an Austrian who reads English gets amounts as they are written in en-AT.
 */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | undefined): BuyerLocale {
  const wanted = tagsOf(acceptLanguage ?? "");
  const switched = LANGUAGES.find((language) => language === chosen);
  const language = switched ?? wanted.map(languageOf).find((found) => found !== undefined) ?? "en";
  return { language, locale: wanted.find((tag) => languageOf(tag) === language) ?? language };
}

function tagsOf(acceptLanguage: string): string[] {
  // Longer than browsers send; a client can send anything.
  return acceptLanguage
    .slice(0, 200)
    .replaceAll(/\s/g, "")
    .split(",")
    .map((part) => /^([a-z]{2,3}(?:-[a-z0-9]{2,8})*)(?:;q=([01](?:\.\d{1,3})?))?$/i.exec(part))
    .filter((match) => match !== null)
    .map(([, tag, quality]) => ({ tag: tag!, quality: Number(quality ?? 1) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

function languageOf(tag: string): Language | undefined {
  return LANGUAGES.find((language) => language === tag.toLowerCase().split("-")[0]);
}

/**
 * An amount in the buyer's locale, with the decimals of ISO 4217, from which Intl differs for some
 * currencies.
 */
export function writeAmount(locale: string, amount: `${number}`, currency: string, decimals: number): string {
  return amountFormatter(locale, currency, decimals).format(amount);
}

const amountFormatter = keepFormatters(
  (locale: string, currency: string, decimals: number) =>
    new Intl.NumberFormat(localeOf(locale), {
      style: "currency",
      currency,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }),
);

/** The header may name a locale that does not exist. */
export function localeOf(tag: string): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}
