import { listOperatorPayments, listOperatorRefunds, REFUND_FILTERS } from "@holdfast/contracts";
import type { Page } from "./page-context.ts";
import { PAYMENT_FILTERS } from "./payment-pages.ts";

/** Each list as the API exports it: all matching rows, whose last line says that they are whole. */
export const csvPages: Page[] = [
  {
    audience: "everybody",
    method: "GET",
    path: "/payments.csv",
    async answer({ api, query }) {
      const filter = Object.fromEntries(PAYMENT_FILTERS.map((name) => [name, query.get(name) ?? undefined]));
      const body = await api.exportCsv(listOperatorPayments, filter);
      return { kind: "rows", fileName: "payments.csv", body };
    },
  },
  {
    audience: "everybody",
    method: "GET",
    path: "/refunds.csv",
    async answer({ api, query }) {
      const status = REFUND_FILTERS.find((known) => known === query.get("status"));
      return {
        kind: "rows",
        fileName: "refunds.csv",
        body: await api.exportCsv(listOperatorRefunds, { status }),
      };
    },
  },
];
