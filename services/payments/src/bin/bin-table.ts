/** What a card's first digits tell (ISO/IEC 7812: the issuer identification number, in payments called BIN). */
export type BinData = {
  cardScheme: string;
  cardType: "CREDIT" | "DEBIT" | "PREPAID";
  cardSubType: string;
  /** ISO 3166-1 alpha-2 of the issuer. */
  country: string;
  loyaltyCode?: string;
  /** Installments the card's programme allows, from 1 on. */
  installmentsMax: number;
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
  ["411111", { ...credit("VISA", "CLASSIC", "TR", 12), loyaltyCode: "BONUS" }],
  ["555555", { ...credit("MASTERCARD", "GOLD", "TR", 6), loyaltyCode: "WORLD" }],
  ["378282", credit("AMEX", "GREEN", "US", 1)],
  ["400000", credit("VISA", "CLASSIC", "US", 3)],
  ["979200", { ...credit("TROY", "CLASSIC", "TR", 1), cardType: "DEBIT" }],
]);

function credit(cardScheme: string, cardSubType: string, country: string, installmentsMax: number): BinData {
  return { cardScheme, cardType: "CREDIT", cardSubType, country, installmentsMax };
}
