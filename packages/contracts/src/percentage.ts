import { z } from "zod";

/** A percentage as people write it. It is never a float: its four decimals are counted. */
export const ratePercentSchema = z
  .string()
  .regex(/^(0|[1-9]\d?)(\.\d{1,4})?$/, {
    error: "must be a decimal string below 100 with at most 4 decimals",
  })
  .meta({ description: "Percentage of the amount, as a decimal string", examples: ["2.50"] });

/** The percentage of an amount in minor units, rounded half up to the minor unit. */
export function percentageMinor(amountMinor: bigint, ratePercent: string): bigint {
  return (amountMinor * tenThousandths(ratePercent) + HALF) / ONE;
}

function tenThousandths(ratePercent: string): bigint {
  const [whole = "0", fraction = ""] = ratePercent.split(".");
  return BigInt(whole + fraction.padEnd(4, "0"));
}

/** 100 percent in ten-thousandths of a percent. */
const ONE = 1_000_000n;
const HALF = ONE / 2n;
