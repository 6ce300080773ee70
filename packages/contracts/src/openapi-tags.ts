import type { Endpoint } from "./http/endpoint.ts";

/** The groups of the merchants' operations, in the reference's order. */
export const MERCHANT_TAGS = [
  { name: "Payments", description: "Charge a card, or reserve and capture later" },
  { name: "Refunds", description: "Pay captured money back" },
  { name: "Checkouts and links", description: "Pages on which a buyer types the card" },
  { name: "Webhooks", description: "Your endpoints, and the events that they get" },
  { name: "Statements", description: "The sums that you are owed" },
  { name: "BINs", description: "Facts of a card by its first digits" },
] as const;

export type MerchantTag = (typeof MERCHANT_TAGS)[number]["name"];

/** The group of an operation: the first one that its path belongs to. */
export function tagOf({ path }: Pick<Endpoint, "path">): MerchantTag {
  return TAGS_OF_PATHS.find(([part]) => part.test(path))?.[1] ?? "Payments";
}

const TAGS_OF_PATHS: readonly (readonly [RegExp, MerchantTag])[] = [
  [/refund/, "Refunds"],
  [/checkout|payment-link/, "Checkouts and links"],
  [/webhook/, "Webhooks"],
  [/statement/, "Statements"],
  [/bins/, "BINs"],
];
