import { z } from "zod";

import { cardBin } from "../bank/card-bins.ts";
import { installmentPrices } from "../bank/installments.ts";
import { Decimal } from "../wire/decimal.ts";
import { defineCall, failure } from "./call.ts";
import { amountField, conversationField, localeField } from "./payment-body.ts";

const binFields = {
  locale: localeField,
  conversationId: conversationField,
  binNumber: z.string().regex(/^\d{6,8}$/),
};

/** Returns iyzico's data about a BIN. */
export const checkBin = defineCall({
  group: null,
  fault: null,
  schema: z.object(binFields),
  carryOut: (_office, _caller, { binNumber }) => {
    const { cardType, cardAssociation, cardFamily, bankName, bankCode } = cardBin(binNumber);
    const fields = {
      binNumber,
      cardType,
      cardAssociation,
      cardFamily,
      bankName,
      bankCode,
      commercial: 0,
    };
    return { kind: "success", fields, signs: [] };
  },
});

/** Returns the cost of a price in installments, by a fixed table. */
export const listInstallments = defineCall({
  group: null,
  fault: null,
  schema: z.object({ ...binFields, price: amountField }),
  carryOut: (_office, _caller, { binNumber, price }) => {
    if (price === 0n) return failure("5005");
    const { cardType, cardAssociation, cardFamily, bankName, bankCode } = cardBin(binNumber);
    const whole = Decimal.ofMinor(price);
    const prices = installmentPrices(whole.units, cardType === "DEBIT_CARD");
    const detail = {
      binNumber,
      price: whole,
      cardType,
      cardAssociation,
      cardFamilyName: cardFamily,
      force3ds: 0,
      bankCode,
      bankName,
      forceCvc: 0,
      commercial: 0,
      installmentPrices: prices.map(({ installmentNumber, totalUnits, installmentUnits }) => ({
        installmentPrice: Decimal.ofUnits(installmentUnits),
        totalPrice: Decimal.ofUnits(totalUnits),
        installmentNumber,
      })),
    };
    return { kind: "success", fields: { installmentDetails: [detail] }, signs: [] };
  },
});

/** Answers that the API is up. */
export const testApi = defineCall({
  group: null,
  fault: null,
  schema: z.object({}),
  carryOut: () => ({ kind: "success", fields: {}, signs: [] }),
});
