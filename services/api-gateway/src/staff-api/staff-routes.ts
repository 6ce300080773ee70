import { operations, STAFF_ENDPOINTS } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { SendStaffCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { forwardedRoutes, requireRoutes } from "../endpoint/forward.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { merchantStatementsRoute } from "../lists/statement-routes.ts";
import { cancelRoute, captureRoute } from "../merchant-api/capture-and-cancel.ts";
import { checkoutListRoute } from "../merchant-api/checkout-list.ts";
import { getCheckoutRoute } from "../merchant-api/checkout.ts";
import { paymentLinkRoutes } from "../merchant-api/payment-links.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";
import { chargebackRoutes } from "../operator-api/chargebacks.ts";
import { operatorListRoutes } from "../operator-api/lists.ts";
import { merchantWebhookRoutes } from "../operator-api/merchant-webhooks.ts";
import { paymentLifeRoute } from "../operator-api/payment-life.ts";
import { refundRoutes } from "../operator-api/refunds.ts";
import { searchRoute } from "../operator-api/search.ts";
import { webhookRoutes } from "../operator-api/webhooks.ts";
import { asStaff } from "./as-staff.ts";
import { staffCredentialRoutes } from "./staff-credentials.ts";

type Deps = {
  send: SendStaffCommand;
  db: Kysely<GatewayDatabase>;
  lists: ListDeps;
  publicUrl: string;
  /** The company on printed statements. */
  issuer: string | undefined;
};

/** Everything a merchant's staff can call. @throws TypeError where the contract has an endpoint without a handler. */
export function staffRoutes({ send, db, lists, publicUrl, issuer }: Deps): Route[] {
  const [operators, merchants] = [{ send: send.operators }, { send: send.merchants }];
  const written = [
    ...operatorListRoutes({ ...operators, db, lists }),
    paymentLifeRoute({ ...operators, db }),
    ...refundRoutes(operators),
    searchRoute({ ...operators, db, findsMerchants: false }),
    ...chargebackRoutes(operators),
    captureRoute(merchants),
    cancelRoute(merchants),
    checkoutListRoute({ ...merchants, publicUrl, lists }),
    getCheckoutRoute({ ...merchants, publicUrl }),
    ...paymentLinkRoutes({ ...merchants, publicUrl, lists }),
    merchantStatementsRoute({ ...merchants, db, issuer }),
    ...merchantWebhookRoutes({ ...operators, db }),
    ...webhookRoutes({ ...operators, db, lists }),
    ownMerchantRoute(db),
    ...staffCredentialRoutes(operators),
  ];
  const routes = asStaff([...written, ...forwardedRoutes({ ...operators, db }, written)]);
  requireRoutes(routes, STAFF_ENDPOINTS);
  return routes;
}

/** The merchant as its own staff see it: which operators have issued its keys is not their business. */
function ownMerchantRoute(db: Kysely<GatewayDatabase>): Route {
  return defineRoute(operations.getMerchant, async ({ path }) => {
    const merchant = await findMerchant(db, path.merchantId);
    if (!merchant) return new Refusal("merchant_not_found");
    const credentials = merchant.credentials.map(({ issuedBy: _issuer, ...credential }) => credential);
    return { status: 200, body: { ...merchant, credentials } };
  });
}
