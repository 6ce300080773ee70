import { withClient } from "@holdfast/sandbox/infrastructure";
import { witness, type Bench } from "./bench.ts";
import { measure, nothing, openPages, signedIn } from "./console-bench.ts";
import { fillHome } from "./fill-home.ts";

/**
 * The first byte of every page that one operator opens, on a database with `--payments` of a year in every table. Each page
 * is opened once before what is measured, as plans are made and connections opened only once.
 */
export async function benchConsoleYears(bench: Bench): Promise<void> {
  const { sandbox } = bench;
  const merchantIds = sandbox.merchants.map(({ merchantId }) => merchantId);
  await fillHome(bench);
  const known = await withClient(sandbox.databaseUrl, async (client) => {
    const { rows } = await client.query<Known>(KNOWN);
    return rows[0]!;
  });
  const pages = pagesOf(merchantIds[0]!, known);
  const [operator] = await signedIn(bench, 1);
  const [first, many] = [nothing(), nothing()];
  await openPages(bench, operator!, pages, first);
  await measure(bench, "1 operator", many, async () => {
    for (let round = 0; round < ROUNDS; round++) await openPages(bench, operator!, pages, many);
  });
  const failed = [...first.failed, ...many.failed];
  const opened = Object.values(many.times).flat().length;
  witness(
    failed.length === 0,
    `${opened} pages, of which ${failed.length} had an unexpected answer: ${failed.join()}`,
  );
}

const ROUNDS = 20;

type Known = { payment: string; order: string; refund: string; last4: string };

/** One of the payments with a refund, from the middle of the years. */
const KNOWN = `
  select payment.payment_id as payment, payment.order_id as "order", refund.refund_id as refund, right(payment.masked_pan, 4) as last4
  from payments.payment as payment join refunds.refund as refund on refund.payment_id = payment.payment_id
  where refund.created_at > now() - interval '180 days' order by refund.created_at limit 1`;

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

const pagesOf = (merchantId: string, { payment, order, refund, last4 }: Known): Record<string, string> => ({
  overview: "/",
  "search of an order": `/search?q=${encodeURIComponent(order)}`,
  "search of four digits": `/search?q=${last4}`,
  payments: "/payments",
  "payments of one status": `/payments?status=FAILED&from=${day(7)}&to=${day(0)}`,
  payment: `/payments/${payment}`,
  refunds: "/refunds",
  refund: `/refunds/${refund}`,
  unresolved: "/unresolved",
  deliveries: `/deliveries?merchantId=${merchantId}`,
  merchants: "/merchants",
  merchant: `/merchants/${merchantId}`,
  settlement: "/settlement",
  audit: "/audit",
});
