import { z } from "zod";
import { createClientAddress } from "./client-address.ts";

/** Address ranges separated by commas, or `none`. */
export function rangesSetting() {
  const error = "must be ranges separated by commas, such as 10.0.0.0/8,fd00::/8, or none";
  return z.string({ error }).transform((value, context): string[] => {
    if (value.trim() === "none") return [];
    const ranges = value.split(",").flatMap((range) => range.trim() || []);
    // Names such as `loopback` are refused: every range that is trusted can be read in the configuration.
    if (ranges.every((range) => /^[\da-f.:]+\/\d{1,3}$/i.test(range) && isTrustable(range))) return ranges;
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });
}

function isTrustable(range: string): boolean {
  try {
    createClientAddress([range]);
    return true;
  } catch {
    return false;
  }
}
