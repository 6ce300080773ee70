import { PAGES } from "../../services/console/src/http/console-app.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";
import type { Audience } from "./relayed-console.ts";

/** Ids in the addresses of the console's pages. */
export type Shown = Record<"merchantId" | "payment" | "refund" | "event", string> & {
  link?: string;
  dispute?: string;
  import?: string;
};

/** Shown by another page's rows, or as a file of its own. */
const FILES = /csv|print|code\.svg|statements|body|evidence/;

/**
 * The addresses of all pages for one kind of people, about these things; undefined for a page about a missing thing.
 */
export function pagePaths(person: Audience, shown: Shown): Map<string, string | undefined> {
  const pages = PAGES.filter(({ method, audience = "operators", path }) => {
    const isFor = audience === "everybody" || (audience === "staff") === (person === "staff");
    return method === "GET" && isFor && !FILES.test(path);
  });
  return new Map(pages.map(({ path }) => [path, pathOf(path, shown)]));
}

function pathOf(page: string, { merchantId, payment, refund, event, link, dispute, import: taken }: Shown) {
  const filled: Record<string, string | undefined> = {
    "/search": `/search?q=${payment}`,
    "/payments/:paymentId": `/payments/${payment}`,
    "/refunds/:refundId": `/refunds/${refund}`,
    "/disputes/:chargebackId": dispute && `/disputes/${dispute}`,
    "/deliveries": `/deliveries?merchantId=${merchantId}`,
    "/deliveries/:eventId": `/deliveries/${event}`,
    "/merchants/:merchantId": `/merchants/${merchantId}`,
    "/accounts/new": "/accounts/new?protocol=iyzico",
    "/accounts/:accountId": `/accounts/${TEST_ACCOUNT_ID}`,
    "/accounts/:accountId/installment-prices": `/accounts/${TEST_ACCOUNT_ID}/installment-prices`,
    "/settlement/imports/:importId": taken && `/settlement/imports/${taken}`,
    "/payment-links/:paymentLinkId": link && `/payment-links/${link}`,
  };
  return page in filled ? filled[page] : page.includes(":") ? undefined : page;
}
