import { amountToJson, currencyExponent, type BinInfo, type CommandReply } from "@holdfast/contracts";
import { domIntOf, findBin, type BinTable } from "./bin-table.ts";
import { offerInstallments, type OfferInstallmentsDeps } from "./offer-installments.ts";

export type LookUpBinDeps = OfferInstallmentsDeps & { bins: () => BinTable | undefined };

type Asked = { bin: string; order?: { amountMinor: string; currency: string } | undefined };

/**
 * GET /api/bins/{bin}: the data a payment would get from a card that begins with these 6 to 8 digits, and
 * what the merchant's order would cost in each number of installments.
 */
export function lookUpBin(
  deps: LookUpBinDeps,
  merchantId: string,
  { bin, order }: Asked,
): CommandReply<BinInfo> {
  const table = deps.bins();
  if (!table) return { outcome: "not_started" };
  const found = findBin(table, bin);
  if (!found) return { outcome: "problem", code: "bin_not_found" };
  const { installmentsMax, ...data } = found;
  const counts = installmentCounts(installmentsMax);
  const info = { bin, ...data, domInt: domIntOf(found, deps.homeCountry), installmentCounts: counts };
  if (!order) return { outcome: "done", result: info };
  const { currency } = order;
  const asked = { merchantId, card: found, amountMinor: BigInt(order.amountMinor), currency, counts };
  const offers = offerInstallments(deps, asked);
  if (!offers) return { outcome: "not_started" };
  const amount = (minor: bigint) => amountToJson(minor, currencyExponent(currency) ?? 0);
  const installments = offers.map(({ count, totalMinor, partsMinor }) => ({
    installmentCount: count,
    installmentTotal: amount(totalMinor),
    parts: partsMinor.map(amount),
  }));
  return { outcome: "done", result: { ...info, installments } };
}

export function installmentCounts(installmentsMax: number): number[] {
  return Array.from({ length: installmentsMax }, (_, index) => index + 1);
}
