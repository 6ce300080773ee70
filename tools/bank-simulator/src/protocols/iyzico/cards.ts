import { isLuhnValid, testCard, type IssuerDecline } from "../../core/index.ts";
import type { BehaviourName } from "./behaviour.ts";
import type { ErrorCode } from "./wire/error-codes.ts";

/** The behaviour of a card. */
export type CardPlan = {
  /** The code with which the issuer declines its payments; null if it approves them. */
  resultCode: ErrorCode | null;
  /** The treatment of the call that moves its money. */
  behaviour: BehaviourName;
  /** `fails`: the cardholder is not authenticated, and sees no challenge. `refused`: 3-D Secure does not start. */
  threeDs: "challenge" | "frictionless" | "fails" | "refused";
  /** The `mdStatus` of a cardholder who gave the right code. */
  mdStatus: string;
  /** True if the card's payments can be neither cancelled nor refunded nor captured. */
  refusesFollowUps: boolean;
};

/** @returns undefined for an invalid card number: its Luhn digit is wrong, and it is no test card either. */
export function cardPlan(pan: string): CardPlan | undefined {
  const own = ownCards.get(pan);
  if (!own && !isLuhnValid(pan)) return undefined;
  const { decline, fault = "plain", authentication = "challenge" } = testCard(pan);
  return {
    resultCode: decline ? issuerCodes[decline] : null,
    behaviour: fault,
    threeDs: authentication,
    mdStatus: "1",
    refusesFollowUps: false,
    ...own,
  };
}

const issuerCodes: Record<IssuerDecline, ErrorCode> = {
  do_not_honour: "10005",
  insufficient_funds: "10051",
  expired_card: "10054",
};

/** Source: iyzico protocol, sandbox cards. The good ones are here because a test card need not have a right Luhn digit. */
const ownCards = new Map<string, Partial<CardPlan>>([
  ["4111111111111129", { resultCode: "10051" }],
  ["4129111111111111", { resultCode: "10005" }],
  ["4128111111111112", { resultCode: "10012" }],
  ["4127111111111113", { resultCode: "10041" }],
  ["4126111111111114", { resultCode: "10043" }],
  ["4125111111111115", { resultCode: "10054" }],
  ["4124111111111116", { resultCode: "10084" }],
  ["4123111111111117", { resultCode: "10057" }],
  ["4122111111111118", { resultCode: "10058" }],
  ["4121111111111119", { resultCode: "10034" }],
  ["4120111111111110", { resultCode: "10209" }],
  ["4130111111111118", { resultCode: "10204" }],
  ["4131111111111117", { mdStatus: "0" }],
  ["4141111111111115", { mdStatus: "4" }],
  ["4151111111111112", { threeDs: "refused" }],
  ["5406670000000009", { refusesFollowUps: true }],
  ["4151111111111393", { resultCode: "10093" }],
  ["5528790000000008", {}],
  ["5526080000000006", {}],
  ["4603450000000000", {}],
  ["5890040000000016", {}],
  ["9792072000017956", {}],
  ["374427000000003", {}],
  ["5400010000000004", {}],
  ["4054180000000007", {}],
]);

/** iyzico's data about a card, by its first digits. */
export type CardBin = {
  cardType: "CREDIT_CARD" | "DEBIT_CARD";
  cardAssociation: "VISA" | "MASTER_CARD" | "AMERICAN_EXPRESS" | "TROY";
  /** Empty if the card belongs to no Turkish loyalty scheme. */
  cardFamily: string;
  /** Empty if no Turkish bank issued it; a card of one pays in TRY only. */
  bankName: string;
  bankCode: number;
};

/** The card of a number, whole or masked, or of a BIN of at least six digits. */
export function cardBin(number: string): CardBin {
  const [cardAssociation, cardType, cardFamily, bankName, bankCode] =
    turkishBins.get(number.slice(0, 6)) ?? foreign(number);
  return { cardAssociation, cardType, cardFamily, bankName, bankCode };
}

type Bin = readonly [CardBin["cardAssociation"], CardBin["cardType"], string, string, number];

/** The BINs of the approved cards that a Turkish bank issued (iyzico protocol, sandbox cards). */
const turkishBins = new Map<string, Bin>([
  ["552879", ["MASTER_CARD", "CREDIT_CARD", "Paraf", "Halk Bankası", 12]],
  ["552608", ["MASTER_CARD", "CREDIT_CARD", "Axess", "Akbank", 46]],
  ["460345", ["VISA", "CREDIT_CARD", "CardFinans", "Denizbank", 134]],
  ["589004", ["MASTER_CARD", "DEBIT_CARD", "", "Akbank", 46]],
  ["979207", ["TROY", "DEBIT_CARD", "", "Ziraat Bankası", 10]],
  ["374427", ["AMERICAN_EXPRESS", "CREDIT_CARD", "Bonus", "Garanti Bankası", 62]],
]);

function foreign(number: string): Bin {
  return [associations.get(number.slice(0, 1)) ?? "MASTER_CARD", "CREDIT_CARD", "", "", 0];
}

const associations = new Map<string, CardBin["cardAssociation"]>([
  ["3", "AMERICAN_EXPRESS"],
  ["4", "VISA"],
  ["9", "TROY"],
]);
