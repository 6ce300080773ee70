import type { InstallmentPrice } from "@holdfast/contracts";
import type { AccountAttributes } from "../../bank/account/account-tables.ts";

/**
 * An account's attributes as the audit log has them: each price is a short line, since an account may have hundreds of them and
 * a page of the log is one message of the bus. The programme stands last, as it may have spaces in it.
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
