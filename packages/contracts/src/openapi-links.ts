import type { Endpoint } from "./http/endpoint.ts";
import { ENDPOINTS } from "./operations/endpoints.ts";

/** The target of an answer's id: an operation, and the path parameter that takes the id. */
type Way = { operationId: string; parameter: string };

/**
 * The links from an answer to the operations that take an id in it, by the name of the operation that gives it. The
 * pointers are JSON Pointers into the answer's body. A client that reads the document finds its way by them, and so
 * does a fuzzer.
 */
const PAYMENT = "/paymentId";
const ofPayment: readonly Way[] = [
  "getPayment",
  "capture",
  "cancel",
  "requestRefund",
  "listPaymentRefunds",
].map((operationId) => ({ operationId, parameter: "paymentId" }));
const ofCheckout: readonly Way[] = ["getCheckout", "cancelCheckout"].map((operationId) => ({
  operationId,
  parameter: "checkoutId",
}));
const ofPaymentLink: readonly Way[] = ["getPaymentLink", "disablePaymentLink"].map((operationId) => ({
  operationId,
  parameter: "paymentLinkId",
}));
const ofMerchant: readonly Way[] = [
  "getMerchant",
  "changeMerchant",
  "addCredential",
  "listMerchantWebhooks",
  "createMerchantWebhook",
  "putMerchantWebhook",
  "setWebhookManagement",
  "deleteMerchantWebhook",
  "rotateMerchantWebhookSecret",
  "activateMerchantWebhookSecret",
  "testMerchantWebhook",
  "getMerchantRoutes",
  "putMerchantRoutes",
  "confirmMerchantRoutes",
].map((operationId) => ({ operationId, parameter: "merchantId" }));
const ofEndpoint: readonly Way[] = [
  "getMerchantWebhookHealth",
  "changeMerchantWebhook",
  "removeMerchantWebhook",
  "rotateWebhookEndpointSecret",
  "activateWebhookEndpointSecret",
  "testWebhookEndpoint",
].map((operationId) => ({ operationId, parameter: "endpointId" }));
const ofOwnEndpoint: readonly Way[] = [
  "getWebhookHealth",
  "changeWebhook",
  "removeWebhook",
  "rotateWebhookSecret",
  "activateWebhookSecret",
  "testWebhook",
].map((operationId) => ({ operationId, parameter: "endpointId" }));
const ofStuckPayment: readonly Way[] = [
  "getOperatorPayment",
  "getPaymentSettlement",
  "inquirePayment",
  "reversePayment",
  "resolvePayment",
  "requestRefundForMerchant",
  "openChargeback",
].map((operationId) => ({ operationId, parameter: "paymentId" }));
const ofRefund: readonly Way[] = [
  "getOperatorRefund",
  "approveRefund",
  "rejectRefund",
  "inquireRefund",
  "resolveRefund",
].map((operationId) => ({ operationId, parameter: "refundId" }));
const ofDelivery: readonly Way[] = ["getWebhookDelivery", "getWebhookBody", "redeliverWebhook"].map(
  (operationId) => ({ operationId, parameter: "eventId" }),
);

const ofAccount: readonly Way[] = [
  "getAcquirerAccount",
  "changeAcquirerAccount",
  "confirmAcquirerAccount",
  "probeAcquirerAccount",
  "getInstallmentPrices",
  "putInstallmentPrices",
].map((operationId) => ({ operationId, parameter: "accountId" }));
const ofDifference: readonly Way[] = ["getDifference", "noteDifference", "closeDifference"].map(
  (operationId) => ({
    operationId,
    parameter: "differenceId",
  }),
);

const ofImport: readonly Way[] = ["getSettlement", "confirmSettlement", "refuseSettlement"].map(
  (operationId) => ({
    operationId,
    parameter: "importId",
  }),
);

const ofChargeback: readonly Way[] = [
  "getChargeback",
  "changeChargeback",
  "decideChargeback",
  "addChargebackEvidence",
].map((operationId) => ({ operationId, parameter: "chargebackId" }));

const LINKS: Readonly<Record<string, { pointer: string; ways: readonly Way[] }>> = {
  preAuthorize: { pointer: PAYMENT, ways: ofPayment },
  pay: { pointer: PAYMENT, ways: ofPayment },
  payWith3ds: { pointer: PAYMENT, ways: ofPayment },
  requestRefund: { pointer: PAYMENT, ways: [{ operationId: "getPayment", parameter: "paymentId" }] },
  listPayments: { pointer: "/items/0/paymentId", ways: ofPayment },
  createCheckout: { pointer: "/checkoutId", ways: ofCheckout },
  createPaymentLink: { pointer: "/paymentLinkId", ways: ofPaymentLink },
  listPaymentLinks: { pointer: "/items/0/paymentLinkId", ways: ofPaymentLink },
  listWebhooks: { pointer: "/items/0/endpointId", ways: ofOwnEndpoint },
  createWebhook: { pointer: "/endpointId", ways: ofOwnEndpoint },
  createMerchantWebhook: { pointer: "/endpointId", ways: ofEndpoint },
  listFailingWebhooks: {
    pointer: "/items/0/merchantId",
    ways: [{ operationId: "listMerchantWebhooks", parameter: "merchantId" }],
  },
  listMerchantWebhooks: { pointer: "/items/0/endpointId", ways: ofEndpoint },
  listCheckouts: { pointer: "/items/0/checkoutId", ways: ofCheckout },
  createMerchant: { pointer: "/merchantId", ways: ofMerchant },
  listMerchants: { pointer: "/items/0/merchantId", ways: ofMerchant },
  listPaymentsOfMerchants: { pointer: "/items/0/paymentId", ways: ofStuckPayment },
  listRefunds: { pointer: "/items/0/refundId", ways: ofRefund },
  requestRefundForMerchant: { pointer: "/refundId", ways: ofRefund },
  createAcquirerAccount: { pointer: "/accountId", ways: ofAccount },
  listAcquirerAccounts: { pointer: "/items/0/accountId", ways: ofAccount },
  openChargeback: { pointer: "/chargebackId", ways: ofChargeback },
  listChargebacks: { pointer: "/items/0/chargebackId", ways: ofChargeback },
  addChargebackEvidence: {
    pointer: "/evidence/0/evidenceId",
    ways: [{ operationId: "getChargebackEvidence", parameter: "evidenceId" }],
  },
  listSettlements: { pointer: "/items/0/importId", ways: ofImport },
  uploadSettlement: { pointer: "/importId", ways: ofImport },
  listDifferences: { pointer: "/items/0/differenceId", ways: ofDifference },
  listWebhookDeliveries: { pointer: "/items/0/eventId", ways: ofDelivery },
};

const toStaff = (parameter: string, ...operationIds: string[]): readonly Way[] =>
  operationIds.map((operationId) => ({ operationId, parameter }));

const STAFF_LINKS: typeof LINKS = {
  listPaymentsAsStaff: {
    pointer: "/items/0/payment/paymentId",
    ways: toStaff(
      "paymentId",
      "getPaymentAsStaff",
      "capturePaymentAsStaff",
      "cancelPaymentAsStaff",
      "requestRefundAsStaff",
    ),
  },
  listRefundsAsStaff: { pointer: "/items/0/refundId", ways: toStaff("refundId", "getRefundAsStaff") },
  requestRefundAsStaff: { pointer: "/refundId", ways: toStaff("refundId", "getRefundAsStaff") },
  listCheckoutsAsStaff: { pointer: "/items/0/checkoutId", ways: toStaff("checkoutId", "getCheckoutAsStaff") },
  listWebhooksAsStaff: {
    pointer: "/items/0/endpointId",
    ways: toStaff(
      "endpointId",
      "getWebhookHealthAsStaff",
      "changeWebhookAsStaff",
      "removeWebhookAsStaff",
      "rotateWebhookSecretAsStaff",
      "activateWebhookSecretAsStaff",
      "testWebhookAsStaff",
    ),
  },
  listWebhookDeliveriesAsStaff: {
    pointer: "/items/0/eventId",
    ways: toStaff("eventId", "getWebhookDeliveryAsStaff", "getWebhookBodyAsStaff", "redeliverWebhookAsStaff"),
  },
  listPaymentLinksAsStaff: {
    pointer: "/items/0/paymentLinkId",
    ways: toStaff("paymentLinkId", "getPaymentLinkAsStaff", "disablePaymentLinkAsStaff"),
  },
};

export type Link = { operationId: string; description: string; parameters: Record<string, string> };

/**
 * The links of an operation's successful answers; every linked operation is in the same document. This
 * operation's path has all other parameters of the linked path.
 */
export function linksOf({
  operationId,
  listener,
  pathParameters,
}: Endpoint): Record<string, Link> | undefined {
  const links = LINKS[operationId] ?? STAFF_LINKS[operationId];
  if (links === undefined) return undefined;
  const { pointer, ways } = links;
  return Object.fromEntries(
    ways.map((way) => {
      const target = ENDPOINTS.find((each) => each.operationId === way.operationId);
      if (target === undefined || target.listener !== listener) {
        throw new Error(`${operationId} has a link to ${way.operationId}, which the same API does not have`);
      }
      const { summary } = target;
      const own = Object.keys(pathParameters?.shape ?? {});
      const shared = Object.keys(target.pathParameters?.shape ?? {}).filter((name) => own.includes(name));
      const parameters = {
        ...Object.fromEntries(shared.map((name) => [name, `$request.path.${name}`])),
        [way.parameter]: `$response.body#${pointer}`,
      };
      return [way.operationId, { operationId: way.operationId, description: summary, parameters }];
    }),
  );
}
