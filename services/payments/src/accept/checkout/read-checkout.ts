import type { CheckoutPage, CheckoutRecord, CommandReply } from "@holdfast/contracts";
import type { FoundCheckout } from "./checkout-queries.ts";
import { checkoutPage, checkoutRecord } from "./checkout-record.ts";
import { findSession } from "../three-ds/session-queries.ts";
import { challengeOf } from "../three-ds/session-state.ts";
import { findPaymentLink, linkStatus } from "./payment-link-queries.ts";
import { concludeCheckout, type ConcludeCheckoutDeps } from "./conclude-checkout.ts";

const NOT_FOUND = { outcome: "problem", code: "checkout_not_found" } as const;

/** One checkout of the merchant that asks. */
export async function readCheckout(
  deps: ConcludeCheckoutDeps,
  merchantId: string,
  checkoutId: string,
): Promise<CommandReply<CheckoutRecord>> {
  const found = await concludeCheckout(deps, checkoutId, merchantId);
  return found ? { outcome: "done", result: checkoutRecord(found) } : NOT_FOUND;
}

/** The checkout as its page shows it to anyone who knows the id. */
export async function viewCheckout(
  deps: ConcludeCheckoutDeps,
  checkoutId: string,
): Promise<CommandReply<CheckoutPage>> {
  const found = await concludeCheckout(deps, checkoutId);
  return found ? { outcome: "done", result: await describeForPage(deps, found) } : NOT_FOUND;
}

/** The checkout for its page, with the address of the challenge while one is open. */
export async function describeForPage(
  { db, limits }: ConcludeCheckoutDeps,
  found: FoundCheckout,
): Promise<CheckoutPage> {
  const page = {
    ...checkoutPage(found, limits.checkoutAttemptsMax),
    ...(await describeLink(db, found)),
  };
  if (found.payment?.state !== "ENROLLED") return page;
  const session = await findSession(db, { paymentId: found.payment.payment_id });
  const challenge = session && challengeOf(session);
  return { ...page, ...(challenge && { challengeUrl: challenge.pageUrl }) };
}

/** The description of a checkout's payment link, and whether another buyer, or the link's end, has come first. */
async function describeLink(
  db: ConcludeCheckoutDeps["db"],
  { row }: FoundCheckout,
): Promise<Pick<CheckoutPage, "description" | "linkIs">> {
  if (row.payment_link_id === null) return {};
  const link = await findPaymentLink(db, row.payment_link_id);
  if (!link) return {};
  const { description } = link;
  const status = linkStatus(link);
  // A link's expiry ends the opening of checkouts; an open checkout has an expiry of its own.
  if (row.state !== "OPEN" || status === "ACTIVE" || status === "EXPIRED") return { description };
  const isOwn = status !== "DISABLED" && link.taken_by === row.payment_id;
  return { description, ...(!isOwn && { linkIs: status }) };
}
