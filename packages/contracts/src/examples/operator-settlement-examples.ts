import { ACCOUNT_ID, CAPTURED, DAY, MERCHANT_ID, NEXT, PAYMENT_ID, PRICE, STATEMENT } from "./shop-day.ts";

const CASE = {
  reasonCode: "10.4",
  bankReference: "CB-2026-118",
  respondBy: "2026-12-07T21:00:00Z",
};

/** The bodies of operators' statements on chargebacks and differences. */
export const OPERATOR_SETTLEMENT_REQUESTS: Readonly<Record<string, object>> = {
  openChargeback: { ...PRICE, ...CASE },
  changeChargeback: CASE,
  decideChargeback: { outcome: "WON", reason: "The parcel was signed for" },
  refuseSettlement: { reason: "It is the file of the day before" },
  noteDifference: { note: "Asked the bank for its fee table", assignee: "bora" },
  closeDifference: { decision: "ACCEPT_BANK", reason: "Their fee table has changed on 20 November" },
};

const OPEN_CASE = {
  chargebackId: "019ad6f0-3c00-7b20-a41d-9be0c5d10f66",
  paymentId: PAYMENT_ID,
  orderId: "order-1",
  merchantId: MERCHANT_ID,
  livemode: true,
  kind: "CHARGEBACK",
  status: "OPEN",
  ...PRICE,
  countedAmount: 12.5,
  excessAmount: 0,
  reversedAmount: 0,
  ...CASE,
  openedBy: "alice",
  reported: false,
  openedAt: "2026-11-30T08:12:00.000Z",
};
const EVIDENCE = {
  evidenceId: "019ad6f4-1100-7c02-9d4b-0f2a6d9e4b11",
  fileName: "proof-of-delivery.pdf",
  bytes: 48_211,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  addedBy: "alice",
  addedAt: "2026-11-30T08:15:40.000Z",
};
const OPEN_CASE_DETAIL = { ...OPEN_CASE, evidence: [EVIDENCE] };
const PROPOSED_CASE = {
  ...OPEN_CASE_DETAIL,
  proposal: { ...OPERATOR_SETTLEMENT_REQUESTS["decideChargeback"], proposedBy: "alice" },
};

const READING = {
  importId: "019ab80c-2000-7d3e-b5f1-41c1b7a9d0aa",
  accountId: ACCOUNT_ID,
  mapping: "nestpay",
  mappingVersion: 1,
  fileName: "statement-2026-11-23.csv",
  importedBy: "alice",
  state: "READING",
  lines: 0,
  faults: 0,
  createdAt: "2026-11-24T06:00:00.000Z",
};
const TAKEN = {
  ...READING,
  sha256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
  state: "TAKEN",
  lines: 101,
  faults: 1,
  comparedAt: "2026-11-24T06:00:09.000Z",
};

const DIFFERENCE = {
  differenceId: "019ab80c-9a00-7e41-8d27-7d1e0199a6c2",
  accountId: ACCOUNT_ID,
  class: "FEE_DIFFERS",
  state: "OPEN",
  amount: 0.21,
  currency: "TRY",
  ours: { amount: 0.21, currency: "TRY" },
  theirs: { amount: 0.42, currency: "TRY" },
  detail: "the fee is not that of the account's plan",
  paymentId: PAYMENT_ID,
  importId: READING.importId,
  line: 17,
  openedAt: "2026-11-24T06:00:09.000Z",
  ageSeconds: 10_800,
  notes: [],
};
const NOTED = {
  ...DIFFERENCE,
  assignee: "bora",
  notes: [{ at: "2026-11-24T09:00:00.000Z", actor: "alice", note: "Asked the bank for its fee table" }],
};

const LINE = {
  importId: READING.importId,
  line: 17,
  fileName: READING.fileName,
  accountId: ACCOUNT_ID,
  takenAt: TAKEN.comparedAt,
  movementId: PAYMENT_ID,
  reference: PAYMENT_ID,
  bankReference: "26328100417",
  authCode: "831000",
  pan: "411111******1111",
  kind: "SALE",
  grossAmount: 12.5,
  feeAmount: 0.42,
  netAmount: 12.08,
  currency: "TRY",
  transactedAt: CAPTURED.capturedAt,
  settlesOn: DAY,
  verdict: "FEE_DIFFERS",
};
const DETAIL = {
  ...DIFFERENCE,
  fileName: READING.fileName,
  record: {
    movementId: PAYMENT_ID,
    paymentId: PAYMENT_ID,
    kind: "SALE",
    standing: "DONE",
    orderId: "order-1",
    pan: "411111******1111",
    amount: 12.5,
    currency: "TRY",
    occurredAt: "2026-11-23T09:30:00.000Z",
    bankReference: "26328100417",
    authCode: "831000",
  },
  lines: [LINE],
};

/** The answers of these operations when they succeed. */
export const OPERATOR_SETTLEMENT_ANSWERS: Readonly<Record<string, Readonly<Record<number, object>>>> = {
  openChargeback: { 201: { ...OPEN_CASE, evidence: [] } },
  listChargebacks: { 200: { items: [OPEN_CASE], ...NEXT } },
  getChargeback: { 200: OPEN_CASE_DETAIL },
  changeChargeback: { 200: OPEN_CASE_DETAIL },
  decideChargeback: { 200: PROPOSED_CASE },
  addChargebackEvidence: { 201: OPEN_CASE_DETAIL },
  confirmSettlement: { 200: { ...TAKEN, confirmedBy: "bora" } },
  refuseSettlement: {
    200: { ...READING, state: "REFUSED", reason: "refused", detail: "It is the file of the day before" },
  },
  listSettlements: { 200: { items: [TAKEN], ...NEXT, mappings: ["camt.053", "generic"] } },
  uploadSettlement: { 202: READING },
  previewSettlement: {
    200: {
      accountId: READING.accountId,
      mapping: READING.mapping,
      fileName: READING.fileName,
      sha256: TAKEN.sha256,
      lines: 101,
      faults: 1,
      firstDay: DAY,
      lastDay: DAY,
      kinds: [
        {
          kind: "SALE",
          currency: "TRY",
          lines: 99,
          grossAmount: 1_250,
          feeAmount: 21.25,
          netAmount: 1_228.75,
        },
        { kind: "REFUND", currency: "TRY", lines: 2, grossAmount: -12.5, feeAmount: 0, netAmount: -12.5 },
      ],
      verdicts: { MATCHED: 99, FEE_DIFFERS: 1, MISSING_HERE: 1 },
      differences: {
        opens: { FEE_DIFFERS: 1, MISSING_HERE: 1, UNREADABLE: 1 },
        resolves: { MISSING_AT_BANK: 2 },
      },
      faultyLines: [{ line: 44, reason: "gross: not an amount" }],
    },
  },
  getSettlement: {
    200: {
      ...TAKEN,
      verdicts: { MATCHED: 99, FEE_DIFFERS: 1 },
      faultyLines: [{ line: 44, reason: "gross: not an amount" }],
      notedLines: [{ line: 45, reason: "maskedPan: not a masked card number" }],
    },
  },
  listDifferences: { 200: { items: [DIFFERENCE], ...NEXT } },
  noteDifference: { 200: NOTED },
  closeDifference: {
    200: {
      ...NOTED,
      state: "PROPOSED",
      proposedBy: "alice",
      ...OPERATOR_SETTLEMENT_REQUESTS["closeDifference"],
    },
  },
  listStatementsOfMerchants: { 200: { items: [STATEMENT], ...NEXT } },
  getDifference: { 200: DETAIL },
  getPaymentSettlement: {
    200: {
      lines: [LINE],
      differences: [DIFFERENCE],
      awaited: [],
      more: false,
    },
  },
};
