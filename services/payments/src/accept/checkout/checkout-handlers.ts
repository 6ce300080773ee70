import {
  cancelCheckout as cancelCheckoutCommand,
  inspectCheckoutCard as inspectCheckoutCardCommand,
  operations,
  payCheckout as payCheckoutCommand,
  viewCheckout as viewCheckoutCommand,
  type CommandReply,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { cancelCheckout, cancelCheckoutOfMerchant } from "./cancel-checkout.ts";
import { listCheckouts, type ListCheckoutsDeps } from "./list-checkouts.ts";
import { openCheckout, type OpenCheckoutDeps } from "./open-checkout.ts";
import { paymentLinkHandlers } from "./payment-link-handlers.ts";
import type { CheckoutRow } from "./checkout-queries.ts";
import { payCheckout, type PayCheckoutDeps } from "./pay-checkout.ts";
import { readCheckout, viewCheckout } from "./read-checkout.ts";
import { findBin, type BinData } from "../bins/bin-table.ts";
import { offerInstallments, type OfferInstallmentsDeps } from "../bins/offer-installments.ts";
import type { LookUpBinDeps } from "../bins/look-up-bin.ts";
import { decideCheckout } from "./checkout.ts";
import { concludeCheckout, type ConcludeCheckoutDeps } from "./conclude-checkout.ts";

export type CheckoutDeps = PayCheckoutDeps &
  OpenCheckoutDeps &
  ListCheckoutsDeps & { lookUps: LookUpBinDeps };

/** The commands of merchants and of the checkout's page. */
export function checkoutHandlers(deps: CheckoutDeps) {
  return [
    handler(operations.createCheckout.command, (message) => openCheckout(deps, message)),
    handler(operations.getCheckout.command, ({ context, payload }) =>
      readCheckout(deps, context.merchant.merchantId, payload.checkoutId),
    ),
    handler(operations.listCheckouts.command, ({ context, payload }) =>
      listCheckouts(deps, context.merchant.merchantId, payload),
    ),
    handler(operations.cancelCheckout.command, (message) => cancelCheckoutOfMerchant(deps, message)),
    handler(viewCheckoutCommand, ({ payload }) => viewCheckout(deps, payload.checkoutId)),
    handler(cancelCheckoutCommand, ({ payload }) => cancelCheckout(deps, payload.checkoutId)),
    handler(inspectCheckoutCardCommand, ({ payload }) => inspectCheckoutCard(deps, payload)),
    handler(payCheckoutCommand, (message) => payCheckout(deps, message)),
    ...paymentLinkHandlers(deps),
  ];
}

type Inspected = { cardScheme?: string; installments: { count: number; totalMinor: string }[] };

/** The scheme of a card, and the checkout's installments that its programme allows, with what they cost. */
async function inspectCheckoutCard(
  deps: Pick<CheckoutDeps, keyof ConcludeCheckoutDeps | "lookUps">,
  { checkoutId, bin }: { checkoutId: string; bin: string },
): Promise<CommandReply<Inspected>> {
  const found = await concludeCheckout(deps, checkoutId);
  // Only a page that can still be paid gets an answer, so that other pages cannot be used to read the BIN
  // table.
  if (!found || decideCheckout(found.standing, found.attempt, deps.limits.checkoutAttemptsMax) !== "OPEN")
    return { outcome: "problem", code: "checkout_not_found" };
  const bins = deps.lookUps.bins();
  if (!bins) return { outcome: "not_started" };
  const card = findBin(bins, bin);
  const installments = installmentsOf(deps.lookUps, found.row, card);
  if (!installments) return { outcome: "not_started" };
  return { outcome: "done", result: { ...(card && { cardScheme: card.cardScheme }), installments } };
}

function installmentsOf(
  deps: OfferInstallmentsDeps,
  row: CheckoutRow,
  card: BinData | undefined,
): Inspected["installments"] | undefined {
  const installmentsMax = card?.installmentsMax ?? 1;
  const counts = row.installment_options.filter((count) => count > 1 && count <= installmentsMax);
  const { merchant_id: merchantId, amount_minor: amountMinor, currency } = row;
  const offers = row.installment_prices
    ? offerInstallments(deps, { merchantId, card, amountMinor, currency, counts })
    : counts.map((count) => ({ count, totalMinor: amountMinor }));
  if (!offers) return undefined;
  const inFull = { count: 1, totalMinor: amountMinor };
  return [inFull, ...offers].map(({ count, totalMinor }) => ({ count, totalMinor: totalMinor.toString() }));
}
