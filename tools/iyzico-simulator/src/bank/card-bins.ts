/** iyzico's data about a card, by its first digits. */
export type CardBin = {
  cardType: "CREDIT_CARD" | "DEBIT_CARD" | "PREPAID_CARD";
  cardAssociation: "VISA" | "MASTER_CARD" | "AMERICAN_EXPRESS" | "TROY";
  /** Empty where the card belongs to no Turkish loyalty scheme. */
  cardFamily: string;
  bankName: string;
  bankCode: number;
  /** True if a Turkish bank issued it: such a card pays in TRY only. */
  isTurkish: boolean;
};

/** The card of a number, whole or masked, or of a BIN of at least six digits. */
export function cardBin(number: string): CardBin {
  return bins.get(number.slice(0, 6)) ?? foreignCard(number);
}

/** Source: iyzico protocol, sandbox cards; the BINs of the good ones that a Turkish bank issued. */
const bins = new Map<string, CardBin>([
  ["552879", turkish("MASTER_CARD", "CREDIT_CARD", "Paraf", "Halk Bankası", 12)],
  ["552608", turkish("MASTER_CARD", "CREDIT_CARD", "Axess", "Akbank", 46)],
  ["460345", turkish("VISA", "CREDIT_CARD", "CardFinans", "Denizbank", 134)],
  ["589004", turkish("MASTER_CARD", "DEBIT_CARD", "", "Akbank", 46)],
  ["979207", turkish("TROY", "DEBIT_CARD", "", "Ziraat Bankası", 10)],
  ["374427", turkish("AMERICAN_EXPRESS", "CREDIT_CARD", "Bonus", "Garanti Bankası", 62)],
]);

function turkish(
  cardAssociation: CardBin["cardAssociation"],
  cardType: CardBin["cardType"],
  cardFamily: string,
  bankName: string,
  bankCode: number,
): CardBin {
  return { cardType, cardAssociation, cardFamily, bankName, bankCode, isTurkish: true };
}

function foreignCard(number: string): CardBin {
  const cardAssociation = associations.get(number.slice(0, 1)) ?? "MASTER_CARD";
  return {
    cardType: "CREDIT_CARD",
    cardAssociation,
    cardFamily: "",
    bankName: "",
    bankCode: 0,
    isTurkish: false,
  };
}

const associations = new Map<string, CardBin["cardAssociation"]>([
  ["3", "AMERICAN_EXPRESS"],
  ["4", "VISA"],
  ["9", "TROY"],
]);
