import { ACQUIRER_ACCOUNT_ENDPOINTS } from "./acquirer-accounts.ts";
import { getAuditLog } from "./audit-log.ts";
import { bin } from "./bin.ts";
import { cancel, capture } from "./capture.ts";
import { CHARGEBACK_ENDPOINTS } from "./chargebacks.ts";
import { cancelMerchantCheckout, createCheckout, getCheckout } from "./checkout.ts";
import { listMerchantCheckouts } from "./checkout-list.ts";
import type { Endpoint } from "./endpoint.ts";
import { LOG_LEVEL_ENDPOINTS } from "./log-levels.ts";
import { MERCHANT_ROUTE_ENDPOINTS } from "./merchant-routes.ts";
import { MERCHANT_OPERATOR_ENDPOINTS } from "./merchants.ts";
import { getOperatorPayment } from "./operator-payment-life.ts";
import { PAYMENT_OPERATOR_ENDPOINTS } from "./operator-payments.ts";
import { listOperatorPayments, listOperatorRefunds } from "./operator-lists.ts";
import { searchOperator } from "./operator-search.ts";
import { REFUND_OPERATOR_ENDPOINTS } from "./operator-refunds.ts";
import { listPaymentRefunds, listPayments } from "./payment-list.ts";
import { PAYMENT_LINK_ENDPOINTS } from "./payment-links.ts";
import { payment } from "./payment.ts";
import { preAuthorization } from "./pre-authorization.ts";
import { refund } from "./refund.ts";
import { REFUSED_OPERATOR_ENDPOINTS } from "./refused-operators.ts";
import { sale } from "./sale.ts";
import { getDifference } from "./difference-detail.ts";
import { getPaymentSettlement } from "./payment-settlement.ts";
import { DIFFERENCE_ENDPOINTS } from "./differences.ts";
import { SETTLEMENT_ENDPOINTS } from "./settlements.ts";
import { STAFF_ENDPOINTS } from "./staff-endpoints.ts";
import { STATEMENT_ENDPOINTS } from "./statements.ts";
import { threeDs } from "./three-ds.ts";
import { MERCHANT_WEBHOOK_ENDPOINTS } from "./merchant-webhooks.ts";
import { listOwnWebhooks, testOwnWebhook } from "./own-webhooks.ts";
import { listFailingWebhooks } from "./failing-webhooks.ts";
import { WEBHOOK_ENDPOINTS } from "./webhook-endpoints.ts";

/** Every HTTP operation there is, in the order of the document. */
export const ENDPOINTS: readonly Endpoint[] = [
  preAuthorization,
  sale,
  threeDs,
  payment,
  listPayments,
  listPaymentRefunds,
  capture,
  cancel,
  refund,
  bin,
  createCheckout,
  getCheckout,
  cancelMerchantCheckout,
  listMerchantCheckouts,
  ...PAYMENT_LINK_ENDPOINTS,
  listOwnWebhooks,
  testOwnWebhook,
  ...MERCHANT_OPERATOR_ENDPOINTS,
  listOperatorPayments,
  listOperatorRefunds,
  searchOperator,
  getOperatorPayment,
  ...PAYMENT_OPERATOR_ENDPOINTS,
  ...REFUND_OPERATOR_ENDPOINTS,
  ...CHARGEBACK_ENDPOINTS,
  ...SETTLEMENT_ENDPOINTS,
  ...DIFFERENCE_ENDPOINTS,
  getPaymentSettlement,
  getDifference,
  ...STATEMENT_ENDPOINTS,
  listFailingWebhooks,
  ...MERCHANT_WEBHOOK_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
  ...ACQUIRER_ACCOUNT_ENDPOINTS,
  ...MERCHANT_ROUTE_ENDPOINTS,
  ...REFUSED_OPERATOR_ENDPOINTS,
  ...LOG_LEVEL_ENDPOINTS,
  getAuditLog,
  ...STAFF_ENDPOINTS,
];
