import {
  ACCOUNT_ID,
  CAPTURED,
  DAY,
  ENROLLED,
  MERCHANT_ID,
  NEXT,
  PAYMENT_ID,
  PRICE,
  REFUND,
  REFUND_ID,
  REQUESTED,
} from "./shop-day.ts";

const STATEMENT_OF_THE_BANK = { outcome: "SUCCESS", evidence: "The bank's answer of 23 November, case 17" };

/** The bodies of operators' decisions about payments and refunds. */
export const OPERATOR_PAYMENT_REQUESTS: Readonly<Record<string, object>> = {
  resolvePayment: STATEMENT_OF_THE_BANK,
  approveRefund: { note: "The parcel is back" },
  rejectRefund: { reason: "The parcel never came back" },
  resolveRefund: STATEMENT_OF_THE_BANK,
  requestRefundForMerchant: { ...PRICE, reason: "The buyer has asked the bank" },
};

const NAMED = { merchantName: "Book Shop" };
const IN_ORDER = { unresolved: false, overdue: false, attempts: 0 };

const OPERATED = {
  merchantId: MERCHANT_ID,
  accountId: ACCOUNT_ID,
  payment: { ...CAPTURED, transactionType: "PRE_AUTHORIZATION", pendingRefundAmount: 12.5 },
  state: "CAPTURED",
  ...IN_ORDER,
  ageSeconds: 17_100,
  livemode: true,
};
const CLAIMED = { version: 1, to: "AUTHORIZING", cause: "claimed", at: REQUESTED.paymentDate };
const DETAIL = {
  ...OPERATED,
  history: [
    CLAIMED,
    { version: 2, from: "AUTHORIZING", to: "SUCCESS", cause: "approved", at: `${DAY}T09:30:01.412Z` },
    { version: 3, from: "SUCCESS", to: "CAPTURED", cause: "captured", at: CAPTURED.capturedAt },
  ],
  operations: [
    {
      operationId: "019ab314-9f00-7aa1-8c3e-51d6be077f10",
      type: "CAPTURE",
      status: "DONE",
      amount: 12.5,
      reference: `${PAYMENT_ID}:capture:019ab314-9f00-7aa1-8c3e-51d6be077f10`,
      resultCode: "00",
      resultMessage: "Approved",
      requestedAt: `${DAY}T10:05:11.340Z`,
      endedAt: CAPTURED.capturedAt,
    },
  ],
  bankOrderId: PAYMENT_ID.replaceAll("-", ""),
  requestIp: "203.0.113.7",
  requestPort: 50_123,
};

const VOLUME = { currency: "TRY", payments: 1, amount: 12.5, amountByNow: 12.5 };
const FIGURES = {
  at: `${DAY}T14:15:01.340Z`,
  days: [
    { day: DAY, volumes: [{ ...VOLUME, hours: [{ hour: 9, payments: 1, amount: 12.5 }] }] },
    {
      day: "2026-11-22",
      volumes: [{ ...VOLUME, amountByNow: 0, hours: [{ hour: 18, payments: 1, amount: 12.5 }] }],
    },
    { day: "2026-11-16", volumes: [] },
  ],
  accounts: [{ approved: 1, declined: 0 }],
  openDisputes: { count: 1, oldestAt: `${DAY}T06:00:00.000Z` },
};

/** A payment whose answer from the bank was lost and that the bank does not know yet. */
const UNRESOLVED = {
  merchantId: MERCHANT_ID,
  accountId: ACCOUNT_ID,
  payment: { ...ENROLLED, transactionType: "PAYMENT" },
  state: "REVERSING",
  unresolved: true,
  ageSeconds: 86_520,
  overdue: true,
  attempts: 41,
  lastInquiry: "timeout",
  nextAttemptAt: "2026-11-24T09:42:00.000Z",
  livemode: true,
  history: [
    CLAIMED,
    { version: 2, from: "AUTHORIZING", to: "REVERSING", cause: "timeout", at: `${DAY}T09:30:31.002Z` },
  ],
  operations: [],
  requestIp: "203.0.113.7",
  requestPort: 50_123,
};
const RESOLUTION = {
  ...STATEMENT_OF_THE_BANK,
  proposedBy: "alice",
  proposedAt: "2026-11-24T09:40:12.500Z",
  confirmations: 1,
  confirmationsRequired: 2,
};

const WAITING_REFUND = {
  ...REFUND,
  refundId: REFUND_ID,
  merchantId: MERCHANT_ID,
  state: "PENDING_APPROVAL",
  ageSeconds: 900,
  remainingRefundableAmount: 0,
  approvals: 0,
  approvalsRequired: 1,
  approvedBy: [],
  overdue: false,
  attempts: 0,
};
const RESERVED = {
  version: 1,
  from: "RESERVING",
  to: "PENDING_APPROVAL",
  cause: "reserved",
  at: REFUND.statusDate,
};
const APPROVED_REFUND = {
  ...WAITING_REFUND,
  status: "SUCCESS",
  statusDate: `${DAY}T14:15:02.310Z`,
  version: 4,
  externalTransactionId: "260327141502",
  authCode: "550187",
  resultCode: "00",
  resultMessage: "Approved",
  state: "SUCCESS",
  approvals: 1,
  approvedBy: [{ operator: "alice", note: "The parcel is back", at: `${DAY}T14:15:01.700Z` }],
  bank: {
    reference: `${REFUND_ID}:refund`,
    externalTransactionId: "260327141502",
    authCode: "550187",
    resultCode: "00",
    resultMessage: "Approved",
  },
  history: [
    RESERVED,
    { version: 2, from: "PENDING_APPROVAL", to: "EXECUTING", cause: "approved", at: `${DAY}T14:15:01.700Z` },
    { version: 3, from: "EXECUTING", to: "SETTLING", cause: "approved", at: `${DAY}T14:15:02.190Z` },
    { version: 4, from: "SETTLING", to: "SUCCESS", cause: "acknowledged", at: `${DAY}T14:15:02.310Z` },
  ],
};
const REJECTED_REFUND = {
  ...WAITING_REFUND,
  state: "REJECTING",
  version: 2,
  rejectedBy: "alice",
  rejectionReason: "The parcel never came back",
  history: [
    RESERVED,
    { version: 2, from: "PENDING_APPROVAL", to: "REJECTING", cause: "rejected", at: `${DAY}T14:20:00.052Z` },
  ],
};
/** A refund that is approved and whose outcome at the bank is unknown. */
const UNKNOWN_REFUND = {
  ...APPROVED_REFUND,
  ...WAITING_REFUND,
  state: "EXECUTING",
  version: 2,
  approvals: 1,
  approvedBy: APPROVED_REFUND.approvedBy,
  attempts: 3,
  lastInquiry: "timeout",
  nextAttemptAt: `${DAY}T14:18:00.000Z`,
  history: APPROVED_REFUND.history.slice(0, 2),
};

const PROPOSAL = {
  kind: "PAYMENT_OUTCOME",
  subjectId: PAYMENT_ID,
  since: RESOLUTION.proposedAt,
  proposedBy: RESOLUTION.proposedBy,
  merchantId: MERCHANT_ID,
  ...PRICE,
  livemode: true,
  ...NAMED,
};

const LISTED_PAYMENT = { ...OPERATED, ...NAMED };
const LISTED_REFUND = { ...WAITING_REFUND, ...NAMED };

/** The answers of these operations when they succeed. */
export const OPERATOR_PAYMENT_ANSWERS: Readonly<Record<string, Readonly<Record<number, object>>>> = {
  listPaymentsOfMerchants: { 200: { items: [LISTED_PAYMENT], ...NEXT } },
  getFigures: { 200: FIGURES },
  listProposals: { 200: { items: [PROPOSAL], ...NEXT } },
  listRefunds: { 200: { items: [LISTED_REFUND], ...NEXT } },
  search: {
    200: {
      items: [
        { type: "payment", matchedBy: "orderId", payment: LISTED_PAYMENT },
        { type: "refund", matchedBy: "orderId", refund: LISTED_REFUND },
      ],
      more: false,
    },
  },
  getOperatorPayment: {
    200: { ...DETAIL, ...NAMED, refunds: [WAITING_REFUND], deliveries: [], actions: [], more: [] },
  },
  inquirePayment: { 200: { ...UNRESOLVED, attempts: 42 } },
  reversePayment: { 200: UNRESOLVED },
  resolvePayment: { 200: { ...UNRESOLVED, resolution: RESOLUTION } },
  getOperatorRefund: { 200: { ...WAITING_REFUND, history: [RESERVED] } },
  approveRefund: { 200: APPROVED_REFUND },
  rejectRefund: { 200: REJECTED_REFUND },
  inquireRefund: { 200: UNKNOWN_REFUND },
  resolveRefund: { 200: { ...UNKNOWN_REFUND, resolution: RESOLUTION } },
  requestRefundForMerchant: {
    202: {
      ...WAITING_REFUND,
      ageSeconds: 0,
      requestedBy: "alice",
      requestReason: "The buyer has asked the bank",
      history: [RESERVED],
    },
  },
};
