import { OPERATOR_ROLES } from "@holdfast/contracts";
import { pagePaths } from "../console/page-paths.ts";
import { cookieOf, insertedSession, startConsoleOf } from "../console/relayed-console.ts";
import type { Lived } from "./live.ts";
import type { YearsSystem } from "./years-system.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";

/**
 * Opens every page that operators have, with the requests of the console: filters, limits and orders of a page that
 * `readEverything` does not use.
 */
export async function openPages(system: YearsSystem, lived: Lived): Promise<void> {
  const databaseUrl = system.database.urls.console.app;
  const operatorApi = `http://127.0.0.1:${system.operatorApi.port}`;
  const started = await startConsoleOf(databaseUrl, operatorApi, operatorApi);
  const session = await insertedSession(databaseUrl, {
    subject: "olga",
    roles: new Set(OPERATOR_ROLES),
    accessToken: await system.identity.token({ claims: { sub: "olga", roles: OPERATOR_ROLES } }),
  });
  const [filled] = await system.query<Filled>(FILLED);
  const { merchantId, event, dispute } = filled!;
  const { paymentId: payment, refundId: refund, importId } = lived;
  const pages = pagePaths("operator", { merchantId, payment, refund, event, dispute, import: importId });
  // These years have no differences.
  const filledPages = [...pages.values()].filter((path) => path !== undefined);
  try {
    for (const path of [...filledPages, ...narrowed(filled!)]) {
      const { status } = await fetch(started.url + path, {
        headers: { Cookie: cookieOf(session) },
        redirect: "manual",
      });
      if (status !== 200) throw new Error(`the page ${path} is answered with ${status}`);
    }
  } finally {
    await started.stop();
  }
}

/** The merchant with most payments, values by which one of them is found, and one of the webhooks. */
const FILLED = `
  select merchant_id as "merchantId", order_id as "orderId", right(masked_pan, 4) as last4,
    (select event_id from webhooks.event where event.merchant_id = payment.merchant_id order by occurred_at desc limit 1) as event,
    (select chargeback_id from payments.chargeback order by created_at desc limit 1) as dispute
  from payments.payment order by created_at limit 1`;

type Filled = Record<"merchantId" | "orderId" | "last4" | "event" | "dispute", string>;

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** The lists' filters as people use them. */
function narrowed({ merchantId, orderId, last4 }: Filled) {
  const days = `from=${dayAgo(7)}&to=${dayAgo(0)}`;
  return [
    `/search?q=${encodeURIComponent(orderId)}`,
    `/search?q=${last4}`,
    `/payments?status=FAILED&${days}`,
    `/payments?merchantId=${merchantId}&status=SUCCESS&${days}`,
    `/deliveries?merchantId=${merchantId}&status=failed`,
    "/deliveries?status=pending",
    `/disputes?status=&merchantId=${merchantId}`,
    `/audit?actor=olga&${days}`,
    `/settlement?state=CLOSED&class=LATE&accountId=${TEST_ACCOUNT_ID}`,
    `/settlement?merchantId=${merchantId}&from=${dayAgo(6).slice(0, 10)}&to=${dayAgo(0).slice(0, 10)}`,
  ];
}
