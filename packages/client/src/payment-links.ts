import { carryOutWithKey } from "./carry-out-with-key.ts";
import type { CsvOptions } from "./list-filters.ts";
import type { Settings } from "./options.ts";
import type { PaymentLinkOutcome } from "./outcomes.ts";
import type { PaymentLink } from "./payment-link-records.ts";
import { unfinished } from "./payment-outcome.ts";
import { read, readText } from "./read.ts";
import { readCsv, readList } from "./read-list.ts";
import { idInPath, requestBody } from "./request-body.ts";
import type { CallOptions, PaymentLinkRequest } from "./requests.ts";

export type PaymentLinks = {
  /** Creates an address at which buyers pay, without a call of your server for each payment. */
  create(request: PaymentLinkRequest, options?: CallOptions): Promise<PaymentLinkOutcome>;
  /**
   * Ends the link for good; a link that has ended already is `done`. The bank still decides about a payment
   * under way.
   */
  disable(paymentLinkId: string, options?: CallOptions): Promise<PaymentLinkOutcome>;
  /** @throws HoldfastError `payment_link_not_found` among others. */
  get(paymentLinkId: string): Promise<PaymentLink>;
  /**
   * The link's address as a QR code: an SVG image, as text. @throws HoldfastError `payment_link_not_found`
   * among others.
   */
  qrCode(paymentLinkId: string): Promise<string>;
  /** Newest first, read page by page. @throws HoldfastError while it is read. */
  list(): AsyncIterable<PaymentLink>;
  /** Exports the list as CSV, in pieces of text. @throws HoldfastError `incomplete_export` among others. */
  exportCsv(options?: CsvOptions): AsyncIterable<string>;
};

export function createPaymentLinks(settings: Settings): PaymentLinks {
  const change = async (
    path: string,
    options: CallOptions = {},
    body?: string,
  ): Promise<PaymentLinkOutcome> => {
    const { ending, call } = await carryOutWithKey(settings, { path, body }, options);
    if (ending.kind !== "done") return unfinished(ending, call);
    return { outcome: "done", paymentLink: ending.body as PaymentLink, replayed: ending.replayed, ...call };
  };
  return {
    create: async (request, options) =>
      await change("/api/payment-links", options, requestBody(request, settings)),
    disable: async (paymentLinkId, options) => await change(`${pathOf(paymentLinkId)}/disable`, options),
    get: async (paymentLinkId) => (await read(settings, pathOf(paymentLinkId))) as PaymentLink,
    qrCode: async (paymentLinkId) => await readText(settings, pathOf(paymentLinkId), "image/svg+xml"),
    list: () => readList<PaymentLink>(settings, "/api/payment-links"),
    exportCsv: (options) => readCsv(settings, "/api/payment-links", {}, options),
  };
}

function pathOf(paymentLinkId: string): string {
  return `/api/payment-links/${idInPath(paymentLinkId)}`;
}
