import type { Language } from "@holdfast/html";

/** The texts of a printed statement, in each of its languages. Both have the same keys. */
const en = {
  title: "Statement of account",
  issuer: "Issued by",
  merchant: "Merchant",
  number: "Number",
  days: "Period",
  period: (from: string, to: string) => `${from} to ${to}`,
  mode: "Mode",
  test: "Test: no money was moved",
  printed: "Printed",
  day: "Day",
  currency: "Currency",
  salesAmount: "Sales",
  refundsAmount: "Refunds",
  chargebacksAmount: "Chargebacks",
  adjustmentsAmount: "Adjustments",
  commission: "Commission",
  bankFeesAmount: "Bank fees",
  netPayableAmount: "Net payable",
  lines: "Lines",
  notFinal: "not final",
  sum: "Sum",
  statements: (count: number) => `Days and currencies: ${count}.`,
  settles: "A day is the one on which the bank settles.",
  payable: "Net payable is sales and adjustments less refunds, chargebacks and commission.",
  open: (unpriced: number) =>
    `Days marked “not final” can change: the bank has not reported everything up to then, or a difference or a commission is open. Lines without a known commission: ${unpriced}`,
};

type PrintedTexts = typeof en;

const tr: PrintedTexts = {
  title: "Hesap özeti",
  issuer: "Düzenleyen",
  merchant: "Üye iş yeri",
  number: "Numara",
  days: "Dönem",
  period: (from, to) => `${from} – ${to}`,
  mode: "Mod",
  test: "Test: para hareketi olmadı",
  printed: "Yazdırıldı",
  day: "Gün",
  currency: "Para birimi",
  salesAmount: "Satış",
  refundsAmount: "İade",
  chargebacksAmount: "Ters ibraz",
  adjustmentsAmount: "Düzeltme",
  commission: "Komisyon",
  bankFeesAmount: "Banka kesintisi",
  netPayableAmount: "Ödenecek net tutar",
  lines: "Satır",
  notFinal: "kesin değil",
  sum: "Toplam",
  statements: (count) => `Gün ve para birimi sayısı: ${count}.`,
  settles: "Gün, bankanın takas günüdür.",
  payable: "Ödenecek net tutar, satış ve düzeltmelerden iade, ters ibraz ve komisyonun düşülmesiyle bulunur.",
  open: (unpriced) =>
    `“Kesin değil” yazan günler değişebilir: banka o güne kadarki her şeyi bildirmemiştir ya da bir fark veya komisyon açıktır. Komisyonu bilinmeyen satır: ${unpriced}`,
};

export const PRINTED_TEXTS: Record<Language, PrintedTexts> = { en, tr };
