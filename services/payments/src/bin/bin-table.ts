/** What a card's first digits tell (ISO/IEC 7812: the issuer identification number, in payments called BIN). */
export type BinData = {
  cardScheme: string;
  cardType: "CREDIT" | "DEBIT" | "PREPAID";
  cardSubType: string;
  /** ISO 3166-1 alpha-2 of the issuer. */
  country: string;
  loyaltyCode?: string;
};

/** BINs of 6 to 8 digits; the longest match counts. */
export type BinTable = ReadonlyMap<string, BinData>;

export function findBin(table: BinTable, pan: string): BinData | undefined {
  for (const length of [8, 7, 6]) {
    const found = table.get(pan.slice(0, length));
    if (found) return found;
  }
  return undefined;
}

/** The shipped table: the BIN of every test card. */
export const SHIPPED_BINS: BinTable = new Map<string, BinData>([
  [
    "411111",
    { cardScheme: "VISA", cardType: "CREDIT", cardSubType: "CLASSIC", country: "TR", loyaltyCode: "BONUS" },
  ],
  [
    "555555",
    {
      cardScheme: "MASTERCARD",
      cardType: "CREDIT",
      cardSubType: "GOLD",
      country: "TR",
      loyaltyCode: "WORLD",
    },
  ],
  ["378282", { cardScheme: "AMEX", cardType: "CREDIT", cardSubType: "GREEN", country: "US" }],
  ["979200", { cardScheme: "TROY", cardType: "DEBIT", cardSubType: "CLASSIC", country: "TR" }],
  ["400000", { cardScheme: "VISA", cardType: "CREDIT", cardSubType: "CLASSIC", country: "US" }],
]);
