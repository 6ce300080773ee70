import { currencyExponent, installmentParts, isAmount, isLive } from "@holdfast/contracts";
import type { FindRoute } from "../../bank/account/routing.ts";
import { domIntOf, type BinData } from "./bin-table.ts";

export type OfferInstallmentsDeps = {
  findRoute: FindRoute;
  /** ISO 3166-1 alpha-2; cards issued there are DOM. */
  homeCountry: string;
};

/** A number of installments, and the total for a buyer who pays for them, in minor units. */
export type InstallmentOffer = { count: number; totalMinor: bigint; partsMinor: readonly bigint[] };

type Asked = {
  merchantId: string;
  /** Undefined for a card that no BIN is known of. */
  card: BinData | undefined;
  amountMinor: bigint;
  currency: string;
  counts: readonly number[];
};

/**
 * The total of an order for each number of installments, at the account that the payment would be sent to. A
 * number is left out if no account accepts it, or if an installment would be zero or the total too large.
 * @returns undefined until routes have been read.
 */
export function offerInstallments(
  { findRoute, homeCountry }: OfferInstallmentsDeps,
  { merchantId, card, amountMinor, currency, counts }: Asked,
): InstallmentOffer[] | undefined {
  const offers: InstallmentOffer[] = [];
  for (const count of counts) {
    const route = findRoute(merchantId, {
      livemode: isLive(merchantId),
      currency,
      domInt: card ? domIntOf(card, homeCountry) : null,
      cardScheme: card?.cardScheme ?? null,
      loyaltyCode: card?.loyaltyCode ?? null,
      installmentCount: count,
      amountMinor,
    });
    if (!route) return undefined;
    const [first] = route;
    const partsMinor = first && installmentParts(first.totalMinor, count);
    if (first && partsMinor && isAmount(first.totalMinor, currencyExponent(currency) ?? 0))
      offers.push({ count, totalMinor: first.totalMinor, partsMinor });
  }
  return offers;
}
