import { ownPaymentOperations } from "./own-payments.ts";
import { cardPaymentOperations } from "./card-payments.ts";
import { checkoutOperations } from "./checkouts.ts";
import { paymentLinkOperations } from "./payment-links.ts";
import { ownWebhookOperations } from "./own-webhooks.ts";
import { acquirerAccountOperations } from "./acquirer-accounts.ts";
import { chargebackOperations } from "./chargebacks.ts";
import { differenceOperations } from "./differences.ts";
import { installationOperations } from "./installation.ts";
import { merchantRecordOperations } from "./merchants.ts";
import { paymentOperations } from "./payments.ts";
import { proposalOperations } from "./proposals.ts";
import { refundOperations } from "./refunds.ts";
import { settlementOperations } from "./settlements.ts";
import { ownStatementOperations, statementOperations } from "./statements.ts";
import { webhookEndpointOperations } from "./webhook-endpoints.ts";
import { webhookOperations } from "./webhooks.ts";

/** The operations of merchants' servers, by name, in the order of the document. */
export const merchantOperations = {
  ...cardPaymentOperations,
  ...ownPaymentOperations,
  ...checkoutOperations,
  ...paymentLinkOperations,
  ...ownWebhookOperations,
  ...ownStatementOperations,
};

/** The operations of operators, by name, in the order of the document. */
export const operatorOperations = {
  ...merchantRecordOperations,
  ...paymentOperations,
  ...refundOperations,
  ...chargebackOperations,
  ...settlementOperations,
  ...differenceOperations,
  ...statementOperations,
  ...webhookEndpointOperations,
  ...webhookOperations,
  ...acquirerAccountOperations,
  ...proposalOperations,
  ...installationOperations,
};

/** Every operation that is written by hand. The operations of merchants' staff are derived from these. */
export const operations = { ...merchantOperations, ...operatorOperations };
