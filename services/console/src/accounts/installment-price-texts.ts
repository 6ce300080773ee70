import type { Language } from "@holdfast/html";
import { TURKISH } from "./installment-price-texts-tr.ts";

const ENGLISH = {
  title: (account: string) => `What installments cost: ${account}`,
  link: "What installments cost",
  prices: "Prices in use",
  proposedPrices: "Proposed prices",
  noPrices: "No price: the merchant pays for all installments, and the buyer pays the order's price.",
  proposed: (who: string) => `${who} has proposed other prices; a different person has to confirm them.`,
  otherProposal: (who: string) =>
    `${who} has proposed another change of this account. New prices would take its place.`,
  confirm: "Confirm prices",
  confirmQuestion: "Charge buyers by the proposed prices?",
  change: "Change the prices",
  save: "Save prices",
  hint: "The list replaces the one before. Days begin in the account's time zone. A rate is a percentage of the order's price.",
  priceNumber: (number: number) => `Price ${number}`,
  loyalty: "Loyalty program",
  noLoyalty: "cards without one",
  count: "Installments",
  payer: "Paid by",
  payers: { MERCHANT: "the merchant", BUYER: "the buyer" },
  rate: "Rate in %",
  from: "First day",
  to: "No longer from",
  noEnd: "no end",
};

export type InstallmentPriceTexts = typeof ENGLISH;

/** The texts of the page on what installments cost at an account. */
export const INSTALLMENT_PRICE_TEXTS: Record<Language, InstallmentPriceTexts> = { en: ENGLISH, tr: TURKISH };
