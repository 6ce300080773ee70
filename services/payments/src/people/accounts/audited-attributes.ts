import type { InstallmentPrice } from "@holdfast/contracts";
import type { AccountAttributes } from "../../bank/account/account-tables.ts";

/**
 * An account's attributes for the audit log. Each price is a short line, since an account may have hundreds
 * of them and a page of the log is one bus message. The programme comes last, as it may contain spaces.
 */
export function auditedAttributes({ installmentPrices, ...attributes }: AccountAttributes): object {
  return {
    ...attributes,
    ...(installmentPrices && { installmentPrices: installmentPrices.map(priceLine) }),
  };
}

function priceLine({ installmentCount, payer, ratePercent, from, to = "", loyaltyCode }: InstallmentPrice) {
  const line = `${installmentCount} ${payer} ${ratePercent} ${from}/${to}`;
  return loyaltyCode === undefined ? line : `${line} ${loyaltyCode}`;
}
