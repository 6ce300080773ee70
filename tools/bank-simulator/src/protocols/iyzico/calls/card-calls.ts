import { z } from "zod";

import { failure, success } from "../answer.ts";
import { cardBin } from "../cards.ts";
import { inInstallments, installmentCounts } from "../fees.ts";
import { Decimal } from "../wire/decimal.ts";
import { defineCall } from "./call.ts";
import { amountField, commonFields } from "./fields.ts";

const binFields = { ...commonFields, binNumber: z.string().regex(/^\d{6,8}$/) };

/** Returns iyzico's data about a BIN. */
export const checkBin = defineCall({
  schema: z.object(binFields),
  judge: (_desk, _caller, { binNumber }) => ({
    outcome: success({ binNumber, ...cardBin(binNumber), commercial: 0 }),
  }),
});

/** Returns the cost of a price in installments, by a fixed table; debit cards have no installments. */
export const listInstallments = defineCall({
  schema: z.object({ ...binFields, price: amountField }),
  judge: (_desk, _caller, { binNumber, price: priceMinor }) => {
    if (priceMinor === 0n) return { outcome: failure("5005") };
    const { cardFamily, ...bin } = cardBin(binNumber);
    const price = Decimal.ofMinor(priceMinor);
    const counts = installmentCounts.filter((count) => count === 1 || bin.cardType !== "DEBIT_CARD");
    const installmentPrices = counts.map((installmentNumber) => {
      const totalUnits = inInstallments(price.units, installmentNumber);
      return {
        installmentPrice: Decimal.ofUnits(totalUnits / BigInt(installmentNumber)),
        totalPrice: Decimal.ofUnits(totalUnits),
        installmentNumber,
      };
    });
    const flags = { force3ds: 0, forceCvc: 0, commercial: 0 };
    const detail = { binNumber, price, ...bin, cardFamilyName: cardFamily, ...flags, installmentPrices };
    return { outcome: success({ installmentDetails: [detail] }) };
  },
});

/** Answers that the API is up. */
export const testApi = defineCall({
  schema: z.object({}),
  judge: () => ({ outcome: success({}) }),
});
