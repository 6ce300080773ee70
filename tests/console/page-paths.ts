import { PAGES } from "../../services/console/src/http/console-app.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";
import type { Audience } from "./relayed-console.ts";

/** Ids in the addresses of the console's pages. */
export type Shown = Record<"merchantId" | "payment" | "refund" | "event", string> & {
  link?: string;
  dispute?: string;
  import?: string;
  difference?: string;
  account?: string;
};

/** Matches paths of downloads, prints and pages within other pages. */
const FILES = /csv|print|code\.svg|statements|body|evidence/;

/**
 * The addresses of all pages for one kind of people, about these records; undefined for a page about a
 * missing record.
 */
export function pagePaths(person: Audience, shown: Shown): Map<string, string | undefined> {
  const pages = PAGES.filter(({ method, audience = "operators", path }) => {
    const isFor = audience === "everybody" || (audience === "staff") === (person === "staff");
    return method === "GET" && isFor && !FILES.test(path);
  });
  return new Map(pages.map(({ path }) => [path, pathOf(path, shown)]));
}

function pathOf(page: string, shown: Shown) {
  const { merchantId, payment, refund, event, link, dispute, import: taken, difference } = shown;
  const { account = TEST_ACCOUNT_ID } = shown;
  const filled: Record<string, string | undefined> = {
    "/search": `/search?q=${payment}`,
    "/payments/:paymentId": `/payments/${payment}`,
    "/refunds/:refundId": `/refunds/${refund}`,
    "/disputes/:chargebackId": dispute && `/disputes/${dispute}`,
    "/deliveries": `/deliveries?merchantId=${merchantId}`,
    "/deliveries/:eventId": `/deliveries/${event}`,
    "/merchants/:merchantId": `/merchants/${merchantId}`,
    "/accounts/new": "/accounts/new?protocol=iyzico",
    "/accounts/:accountId": `/accounts/${account}`,
    "/accounts/:accountId/installment-prices": `/accounts/${account}/installment-prices`,
    "/settlement/imports/:importId": taken && `/settlement/imports/${taken}`,
    "/settlement/differences/:differenceId": difference && `/settlement/differences/${difference}`,
    "/payment-links/:paymentLinkId": link && `/payment-links/${link}`,
  };
  return page in filled ? filled[page] : page.includes(":") ? undefined : page;
}
