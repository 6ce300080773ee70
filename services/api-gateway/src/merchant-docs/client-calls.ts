/** A method of `@holdfast/client`, and what it returns: how a change ended, a record, or records to iterate over. */
export type ClientCall = readonly [method: string, returns: "outcome" | "record" | "list"];

/**
 * The client's method for each operation. An operation that is not listed has no method. The arguments are
 * the names in the path, the required query parameters, and the body.
 */
export const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  preAuthorize: ["payments.authorize", "outcome"],
  pay: ["payments.create", "outcome"],
  payWith3ds: ["payments.createWith3ds", "outcome"],
  getPayment: ["payments.get", "record"],
  listPayments: ["payments.list", "list"],
  capture: ["payments.capture", "outcome"],
  cancel: ["payments.cancel", "outcome"],
  requestRefund: ["refunds.request", "outcome"],
  listPaymentRefunds: ["refunds.list", "list"],
  createCheckout: ["checkouts.create", "outcome"],
  getCheckout: ["checkouts.get", "record"],
  cancelCheckout: ["checkouts.cancel", "outcome"],
  listCheckouts: ["checkouts.list", "list"],
  createPaymentLink: ["paymentLinks.create", "outcome"],
  getPaymentLink: ["paymentLinks.get", "record"],
  disablePaymentLink: ["paymentLinks.disable", "outcome"],
  listPaymentLinks: ["paymentLinks.list", "list"],
  listWebhooks: ["webhooks.list", "record"],
  getWebhookHealth: ["webhooks.health", "record"],
  testWebhook: ["webhooks.test", "record"],
  createWebhook: ["webhooks.create", "record"],
  changeWebhook: ["webhooks.change", "record"],
  removeWebhook: ["webhooks.remove", "record"],
  rotateWebhookSecret: ["webhooks.rotateSecret", "record"],
  activateWebhookSecret: ["webhooks.activateSecret", "record"],
  listStatements: ["statements.list", "list"],
  getBin: ["bins.get", "record"],
};
