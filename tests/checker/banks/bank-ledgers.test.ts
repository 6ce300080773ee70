import { describe, expect, test } from "vitest";
import { foreignBankLines } from "../index.ts";
import type { PaymentRow, RefundRow } from "../ledgers.ts";
import { settledRow } from "../test/test-ledgers.ts";
import { paymentIdOfOrder } from "./bank-order.ts";

/** The ledgers of banks with protocols of their own, as the checker reads them. */
const ID = "0198d9a0-0000-7000-8000-0000000000a1";
const ORDER = ID.replaceAll("-", "");
const ACCOUNT = "0198d9a0-0000-7000-8000-0000000000ac";

const row = (state: string, change: Partial<PaymentRow> = {}) => ({
  ...settledRow(ID, state, change),
  accountId: ACCOUNT,
});
const refund = (refundId: string, amountMinor: bigint, state = "SUCCESS"): RefundRow => ({
  refundId,
  paymentId: ID,
  merchantId: "merchant",
  state,
  version: 3,
  kind: "refund",
  amountMinor,
  currency: "TRY",
  requestedBy: null,
  credentialIssuedBy: null,
  rejectedBy: null,
  attempts: 0,
  scheduled: false,
});

describe("the ledger of a bank that knows the order only", () => {
  const line = (operation: string, change: object = {}) => ({
    sequence: 1,
    at: "2026-11-20T12:00:00.000Z",
    operation,
    orderId: ORDER,
    transactionId: "26324MfWF10123",
    amountMinor: 1_250,
    currency: "TRY",
    outcome: "approved",
    authCode: "123456",
    resultCode: "00",
    voided: null,
    ...change,
  });
  const read = (lines: object[], rows: Partial<Parameters<typeof foreignBankLines>[2]>) =>
    foreignBankLines(lines.map((each) => `${JSON.stringify(each)}\n`).join(""), ACCOUNT, {
      payments: [],
      paymentHistory: [],
      refunds: [],
      approvals: [],
      bankCalls: [],
      ...rows,
    }).map(({ operation, reference, amountMinor }) => `${operation} ${reference} ${amountMinor}`);
  const step = (from: string | null, to: string) => ({
    paymentId: ID,
    version: 1,
    from,
    to,
    cause: "test",
    transactionId: "1",
  });

  test("the refused voids of a payment that people booked are its reversal's, and the next is a cancellation", () => {
    const refused = line("void", { outcome: "declined", voided: "sale" });
    const call = { paymentId: ID, number: 2, accountId: ACCOUNT, movementId: null, name: null };
    const rows = {
      payments: [row("SUCCESS")],
      paymentHistory: [step("AUTHORIZING", "REVERSING"), step("REVERSING", "SUCCESS")],
      // One of the reversals has never reached the bank.
      bankCalls: [
        ...["unknown", "refused"].map((outcome) => ({ ...call, kind: "reverse", outcome })),
        { ...call, kind: "void", outcome: "declined" },
      ],
    };
    expect(read([refused, refused], rows)).toEqual([`reverse ${ID} 1250`, `cancel ${ID}:cancel 1250`]);
  });

  test("names an order by the payment, and a capture after it", () => {
    expect(read([line("authorize"), line("capture", { amountMinor: 400 })], {})).toEqual([
      `authorize ${ID} 1250`,
      `capture ${ID}:capture 400`,
    ]);
  });

  test("each refund explains one movement of its amount, and what is left over is nobody's", () => {
    const moved = ["t1", "t2", "t3"].map((transactionId) =>
      line("refund", { amountMinor: 500, transactionId }),
    );
    const rows = { payments: [row("SUCCESS")], refunds: [refund("r1", 500n), refund("r2", 500n)] };
    expect(read(moved, rows)).toEqual([
      "refund r1:refund 500",
      "refund r2:refund 500",
      "refund t3:refund 500",
    ]);
  });

  test("a declined movement leaves its refund to be paid", () => {
    const declined = line("refund", { outcome: "declined", resultCode: "05" });
    const rows = { payments: [row("SUCCESS")], refunds: [refund("r1", 1_250n, "EXECUTING")] };
    expect(read([declined, line("refund")], rows)).toEqual([
      "refund r1:refund 1250",
      "refund r1:refund 1250",
    ]);
  });

  test("a void is a cancellation, a refund of the whole, or a reversal, by what is stored; of a refund it is none of them", () => {
    const voided = line("void", { voided: "sale" });
    const succeeded = step("AUTHORIZING", "SUCCESS");
    const cancelled = [succeeded, step("SUCCESS", "CANCELLED")];
    expect(read([voided], { payments: [row("CANCELLED")], paymentHistory: cancelled })).toEqual([
      `cancel ${ID}:cancel 1250`,
    ]);
    const refunds = [refund("r1", 1_250n)];
    expect(read([voided], { payments: [row("SUCCESS")], paymentHistory: [succeeded], refunds })).toEqual([
      "refund r1:refund 1250",
    ]);
    expect(read([voided], { payments: [row("FAILED")] })).toEqual([`reverse ${ID} 1250`]);
    expect(read([line("void", { voided: "credit" })], { payments: [row("SUCCESS")] })).toEqual([
      "void_of_refund 26324MfWF10123 1250",
    ]);
  });

  test("a second success has a name of its own, and so has what a person makes of the two in the panel", () => {
    const both = [line("sale"), line("sale", { transactionId: "t2", uncalled: "again" })];
    const panel = (operation: string, change: object = {}) =>
      line(operation, { uncalled: "panel", voided: operation === "void" ? "sale" : null, ...change });
    const rows = { payments: [row("FAILED")] };
    const successes = [`sale ${ID} 1250`, `sale ${ID}:again 1250`];
    const voided = line("void", { transactionId: "t2", voided: "sale" });
    expect(
      read([...both, panel("void", { transactionId: "t2" }), line("void", { voided: "sale" })], rows),
    ).toEqual([...successes, `reverse ${ID}:again 1250`, `reverse ${ID} 1250`]);
    expect(read([...both, panel("void"), voided], rows)).toEqual([
      ...successes,
      `reverse ${ID} 1250`,
      `reverse ${ID}:again 1250`,
    ]);
    expect(read([...both, panel("refund"), panel("refund")], rows)).toEqual([
      ...successes,
      `refund ${ID}:reversal 1250`,
      `refund ${ID}:again:reversal 1250`,
    ]);
  });

  test("what is paid back of a payment that failed stands in for its reversal", () => {
    expect(read([line("refund")], { payments: [row("FAILED")] })).toEqual([`refund ${ID}:reversal 1250`]);
  });
});

test("iyzico's ledger names each movement by our own references", () => {
  const line = (operation: string, conversationId: string, change: object = {}) =>
    `${JSON.stringify({
      sequence: 1,
      at: "2026-11-20T12:00:00.000Z",
      operation,
      transactionId: "12345",
      basketId: ID,
      paymentId: "12345",
      conversationId,
      amountMinor: 600,
      currency: "TRY",
      outcome: "approved",
      authCode: "123456",
      resultCode: null,
      ...change,
    })}\n`;
  const text = [
    line("sale", ORDER, { payment: { priceMinor: 1_250 } }),
    line("void", `${ID}:reverse`),
    line("void", `${ID}:cancel`),
    line("refund", "r1:refund"),
    line("capture", `${ID}:capture`, { requestedMinor: 1_200 }),
  ].join("");
  const rows = { payments: [], paymentHistory: [], refunds: [], approvals: [], bankCalls: [] };
  expect(foreignBankLines(text, ACCOUNT, rows)).toMatchObject([
    { operation: "sale", reference: ID, parentReference: null, amountMinor: 600n, requestedMinor: 1_250n },
    { operation: "reverse", reference: ID },
    { operation: "cancel", reference: `${ID}:cancel`, parentReference: ID },
    { operation: "refund", reference: "r1:refund", parentReference: ID },
    { operation: "capture", reference: `${ID}:capture`, amountMinor: 600n, requestedMinor: 1_200n },
  ]);
});

test("a second success at iyzico is another payment of the order, with follow-ups of its own", () => {
  const line = (operation: string, change: object) =>
    `${JSON.stringify({ operation, basketId: ID, conversationId: ORDER, amountMinor: 600, ...change })}\n`;
  const [first, second] = [{ paymentId: "1" }, { paymentId: "2" }];
  const text = [
    line("sale", first),
    line("sale", { ...second, uncalled: "again" }),
    line("void", { ...second, conversationId: `${ID}:reverse` }),
    line("void", { ...first, conversationId: "merchant-panel", uncalled: "panel" }),
    line("refund", { ...second, conversationId: "merchant-panel", uncalled: "panel" }),
  ].join("");
  const rows = { payments: [], paymentHistory: [], refunds: [], approvals: [], bankCalls: [] };
  expect(foreignBankLines(text, ACCOUNT, rows)).toMatchObject([
    { operation: "sale", reference: ID },
    { operation: "sale", reference: `${ID}:again`, uncalled: "again", isBelieved: true },
    { operation: "reverse", reference: `${ID}:again` },
    { operation: "reverse", reference: ID },
    { operation: "refund", reference: `${ID}:again:reversal`, parentReference: `${ID}:again` },
  ]);
});

test.each([
  [ORDER, ID],
  ["HFST2weBryng8IaDRmtezV7M", "019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c"],
  ["TDS_2weBryng8IaDRmtezV7M", "019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c"],
  ["another", "another"],
])("the order %s is the payment %s", (orderId, paymentId) => {
  expect(paymentIdOfOrder(orderId)).toBe(paymentId);
});
