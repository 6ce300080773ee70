import {
  cancelCheckout as cancelCheckoutCommand,
  cancelCheckoutOfMerchant as cancelCheckoutOfMerchantCommand,
  inspectCheckoutCard as inspectCheckoutCardCommand,
  listCheckouts as listCheckoutsCommand,
  openCheckout as openCheckoutCommand,
  payCheckout as payCheckoutCommand,
  readCheckout as readCheckoutCommand,
  viewCheckout as viewCheckoutCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { cancelCheckout, cancelCheckoutOfMerchant } from "./cancel-checkout.ts";
import { inspectCheckoutCard } from "./inspect-checkout-card.ts";
import { listCheckouts, type ListCheckoutsDeps } from "./list-checkouts.ts";
import { openCheckout, type OpenCheckoutDeps } from "./open-checkout.ts";
import { paymentLinkHandlers } from "./payment-link-handlers.ts";
import { payCheckout, type PayCheckoutDeps } from "./pay-checkout.ts";
import { readCheckout, viewCheckout } from "./read-checkout.ts";

/** The commands of merchants and of the checkout's page. */
export function checkoutHandlers(deps: PayCheckoutDeps & OpenCheckoutDeps & ListCheckoutsDeps) {
  return [
    handler(openCheckoutCommand, (message) => openCheckout(deps, message)),
    handler(readCheckoutCommand, ({ context, payload }) =>
      readCheckout(deps, context.merchant.merchantId, payload.checkoutId),
    ),
    handler(listCheckoutsCommand, ({ context, payload }) =>
      listCheckouts(deps, context.merchant.merchantId, payload),
    ),
    handler(cancelCheckoutOfMerchantCommand, (message) => cancelCheckoutOfMerchant(deps, message)),
    handler(viewCheckoutCommand, ({ payload }) => viewCheckout(deps, payload.checkoutId)),
    handler(cancelCheckoutCommand, ({ payload }) => cancelCheckout(deps, payload.checkoutId)),
    handler(inspectCheckoutCardCommand, ({ payload }) => inspectCheckoutCard(deps, payload)),
    handler(payCheckoutCommand, (message) => payCheckout(deps, message)),
    ...paymentLinkHandlers(deps),
  ];
}
