import type { Call } from "./call.ts";
import { checkBin, listInstallments, testApi } from "./card-calls.ts";
import { detail, reportDetails } from "./inquiry-calls.ts";
import { cancel, capture, hold, refundAmount, refundItem, sale } from "./payment-calls.ts";
import { payoutsBounced, payoutsCompleted, scrollTransactions, transactions } from "./report-calls.ts";
import { completeV1, completeV2, initialize, initializeHold } from "./three-ds-calls.ts";

/** Every endpoint of the API (iyzico protocol, endpoints). */
export const callTable: ReadonlyMap<string, Call> = new Map([
  ["POST /payment/auth", sale],
  ["POST /payment/preauth", hold],
  ["POST /payment/postauth", capture],
  ["POST /payment/cancel", cancel],
  ["POST /payment/refund", refundItem],
  ["POST /v2/payment/refund", refundAmount],
  ["POST /payment/detail", detail],
  ["GET /v2/reporting/payment/details", reportDetails],
  ["GET /v2/reporting/payment/transactions", transactions],
  ["GET /v2/reporting/payment/scroll-transactions", scrollTransactions],
  ["POST /payment/3dsecure/initialize", initialize],
  ["POST /payment/3dsecure/initialize/preauth", initializeHold],
  ["POST /payment/3dsecure/auth", completeV1],
  ["POST /payment/v2/3dsecure/auth", completeV2],
  ["POST /payment/bin/check", checkBin],
  ["POST /payment/iyzipos/installment", listInstallments],
  ["POST /reporting/settlement/payoutcompleted", payoutsCompleted],
  ["POST /reporting/settlement/bounced", payoutsBounced],
  ["GET /payment/test", testApi],
]);
