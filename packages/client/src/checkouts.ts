import { carryOutWithKey } from "./carry-out-with-key.ts";
import type { Checkout } from "./checkout-records.ts";
import type { Settings } from "./options.ts";
import type { CheckoutOutcome } from "./outcomes.ts";
import { unfinished } from "./payment-outcome.ts";
import type { CheckoutFilter, CsvOptions } from "./list-filters.ts";
import { read } from "./read.ts";
import { readCsv, readList } from "./read-list.ts";
import { idInPath, requestBody } from "./request-body.ts";
import type { CallOptions, CheckoutRequest } from "./requests.ts";

export type Checkouts = {
  /** Creates a hosted page on which a buyer pays one order. */
  create(request: CheckoutRequest, options?: CallOptions): Promise<CheckoutOutcome>;
  /**
   * Ends an open checkout, so that it can no longer be paid; a checkout that is cancelled already is `done`.
   * The call ends as `not_started` with `checkout_not_open` if the checkout has ended in another way, and
   * with `operation_in_progress` while a payment is under way.
   */
  cancel(checkoutId: string, options?: CallOptions): Promise<CheckoutOutcome>;
  /** @throws HoldfastError `checkout_not_found` among others. */
  get(checkoutId: string): Promise<Checkout>;
  /** Newest first, read page by page. @throws HoldfastError while it is read. */
  list(filter?: CheckoutFilter): AsyncIterable<Checkout>;
  /** Exports the list as CSV, in pieces of text. @throws HoldfastError `incomplete_export` among others. */
  exportCsv(filter?: CheckoutFilter, options?: CsvOptions): AsyncIterable<string>;
};

export function createCheckouts(settings: Settings): Checkouts {
  const change = async (path: string, options: CallOptions = {}, body?: string): Promise<CheckoutOutcome> => {
    const { ending, call } = await carryOutWithKey(settings, { path, body }, options);
    if (ending.kind !== "done") return unfinished(ending, call);
    return { outcome: "done", checkout: ending.body as Checkout, replayed: ending.replayed, ...call };
  };
  return {
    create: async (request, options) =>
      await change("/api/checkout", options, requestBody(request, settings)),
    cancel: async (checkoutId, options) =>
      await change(`/api/checkout/${idInPath(checkoutId)}/cancel`, options),
    list: (filter) => readList<Checkout>(settings, "/api/checkouts", filter),
    exportCsv: (filter, options) => readCsv(settings, "/api/checkouts", filter, options),
    async get(checkoutId) {
      return (await read(settings, `/api/checkout/${idInPath(checkoutId)}`)) as Checkout;
    },
  };
}
