import type { BinInfo, CommandReply } from "@holdfast/contracts";
import { findBin, type BinData, type BinTable } from "./bin-table.ts";

export type LookUpBinDeps = { bins: () => BinTable | undefined; homeCountry: string };

/** GET /api/bins/{bin}: the data a payment would get from a card that begins with these 6 to 8 digits. */
export function lookUpBin({ bins, homeCountry }: LookUpBinDeps, bin: string): CommandReply<BinInfo> {
  const table = bins();
  if (!table) return { outcome: "not_started" };
  const found = findBin(table, bin);
  if (!found) return { outcome: "problem", code: "bin_not_found" };
  const { installmentsMax, ...data } = found;
  return {
    outcome: "done",
    result: {
      bin,
      ...data,
      domInt: domIntOf(found, homeCountry),
      installmentCounts: installmentCounts(installmentsMax),
    },
  };
}

/** Tells domestic cards from others by the country of issue. */
export function domIntOf({ country }: Pick<BinData, "country">, homeCountry: string): "DOM" | "INT" {
  return country === homeCountry ? "DOM" : "INT";
}

export function installmentCounts(installmentsMax: number): number[] {
  return Array.from({ length: installmentsMax }, (_, index) => index + 1);
}
