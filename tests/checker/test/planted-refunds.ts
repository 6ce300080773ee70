import type { BankLine, RefundRow, ReservationRow } from "../ledgers.ts";
import type { Planted } from "./planted.ts";
import {
  bankLine,
  callsOf,
  COMMITTED_AT,
  idOf,
  merchantId,
  problemText,
  recordText,
  type TestLedgers,
} from "./test-ledgers.ts";
import { paidRefund, refundedPayment, rejectedRefund, waitingRefund, writeDown } from "./test-refunds.ts";

const stranger = idOf(9);
/** Merchant and currency, under which money is added up. */
const money = `${merchantId} TRY`;

/** Violations of the promises about refunds, planted in a run in which everything is right. */
export const PLANTED_IN_REFUNDS: Record<number, Planted[]> = {
  2: [
    ["1 refunds no answer has named", paidRefund, (run) => forgetAnswer(run, paidRefund)],
    ["1 refunds no answer has named", stranger, (run) => addRow(run, { refundId: stranger })],
    [
      "2 refunds no answer has named, and 1",
      stranger,
      (run) => {
        for (const refundId of [stranger, idOf(8)]) addRow(run, { refundId });
        for (const copy of [1, 2]) lose(run, { idempotencyKey: "refund-key", sequence: copy });
      },
    ],
    [
      "exists although a GET after the 504 said 404",
      stranger,
      (run) => {
        addRow(run, { refundId: stranger });
        lose(run, { status: 504, body: problemText("outcome_unknown", stranger) });
        run.get(stranger, { status: 404 });
      },
    ],
    ["nobody is bound to look", paidRefund, (run) => change(run, paidRefund, { state: "EXECUTING" })],
  ],
  6: [
    [
      "is 3001 TRY, which nobody asked for",
      paidRefund,
      (run) => change(run, paidRefund, { amountMinor: 3_001n }),
    ],
    ["was shown as 3000 EUR", paidRefund, (run) => read(run, paidRefund, "30.00", "EUR")],
    ["was shown as 3001 TRY", paidRefund, (run) => read(run, paidRefund, "30.01")],
    ["at the bank 3001 TRY", paidRefund, (run) => Object.assign(paidLine(run), { amountMinor: 3_001n })],
  ],
  8: [
    [
      "(test) is not in the table",
      paidRefund,
      (run) => Object.assign(step(run, paidRefund, 4), { to: "FAILED" }),
    ],
    [
      "does not follow EXECUTING",
      paidRefund,
      (run) => Object.assign(step(run, paidRefund, 3), { from: "FAILING" }),
    ],
    ["does not follow RESERVING", paidRefund, (run) => forgetStep(run, paidRefund, 1)],
    ["its history ends otherwise", paidRefund, (run) => change(run, paidRefund, { state: "FAILED" })],
    ["its history ends otherwise", paidRefund, (run) => change(run, paidRefund, { version: 9 })],
  ],
  9: [
    [
      "11000 of 10000 are refunds",
      waitingRefund,
      (run) => [
        Object.assign(step(run, rejectedRefund, 2), { transactionId: "9" }),
        Object.assign(step(run, rejectedRefund, 3), { transactionId: "10" }),
      ],
    ],
    [
      "5000 of 4000 are refunds",
      waitingRefund,
      (run) => payment(run, { state: "CAPTURED", capturedMinor: 4_000n }),
    ],
    [
      "3000 were released of what was captured",
      refundedPayment,
      (run) => [change(run, paidRefund, { kind: "release" }), payment(run, { capturedMinor: 8_000n })],
    ],
    ["it or its payment is not there", paidRefund, (run) => change(run, paidRefund, { paymentId: stranger })],
  ],
  10: [
    [
      "is of a SUCCESS payment of",
      waitingRefund,
      (run) => change(run, waitingRefund, { merchantId: stranger }),
    ],
    ["is of a SUCCESS payment of", waitingRefund, (run) => change(run, waitingRefund, { currency: "EUR" })],
    ["is of a FAILED payment", waitingRefund, (run) => payment(run, { state: "FAILED" })],
    ["has no payment", waitingRefund, (run) => change(run, waitingRefund, { paymentId: stranger })],
  ],
  11: [
    ["reserved as RELEASED", waitingRefund, (run) => reserved(run, waitingRefund, { state: "RELEASED" })],
    ["reserved as SETTLED 3100", paidRefund, (run) => reserved(run, paidRefund, { amountMinor: 3_100n })],
    ["reserved as undefined", paidRefund, (run) => reserved(run, paidRefund, { refundId: stranger })],
    ["is ACTIVE for nobody", waitingRefund, (run) => forget(run, waitingRefund)],
    ["other sums than its reservations", refundedPayment, (run) => payment(run, { refundedMinor: 0n })],
    ["other sums than its reservations", refundedPayment, (run) => payment(run, { reservedMinor: 0n })],
    ["other sums than its reservations", refundedPayment, (run) => payment(run, { releasedMinor: 1n })],
  ],
  12: [
    ["the bank paid it 2 times", paidRefund, (run) => pay(run, `${paidRefund}:again`, 3_000n)],
    [
      "is PENDING_APPROVAL, and the bank paid it 1",
      waitingRefund,
      (run) => pay(run, `${waitingRefund}:refund`, 1n),
    ],
    [
      "is REJECTED, and the bank paid it 1",
      rejectedRefund,
      (run) => pay(run, `${rejectedRefund}:refund`, 1n),
    ],
    [
      "is SUCCESS, and the bank paid it 0",
      paidRefund,
      (run) => void run.bank.splice(run.bank.indexOf(paidLine(run)), 1),
    ],
    ["was paid for nobody", `${stranger}:refund`, (run) => pay(run, `${stranger}:refund`, 1n)],
    ["the bank paid 2999 TRY", paidRefund, (run) => Object.assign(paidLine(run), { amountMinor: 2_999n })],
    ["at the bank a release", paidRefund, (run) => Object.assign(paidLine(run), { operation: "release" })],
    [
      "paid before it was approved",
      paidRefund,
      (run) => Object.assign(run.approvals[0] ?? {}, { at: new Date(COMMITTED_AT + 2) }),
    ],
  ],
  13: [
    ["olga approved their own", paidRefund, (run) => change(run, paidRefund, { requestedBy: "olga" })],
    [
      "olga decided about what their credential asked for",
      paidRefund,
      (run) => change(run, paidRefund, { credentialIssuedBy: "olga" }),
    ],
    [
      "bora decided about what their credential asked for",
      rejectedRefund,
      (run) => change(run, rejectedRefund, { credentialIssuedBy: "bora" }),
    ],
    ["with 1 of 2 approvals", paidRefund, (run) => void (run.rules.twoApproversAbove = { TRY: 2_999n })],
    ["with 0 of 1 approvals", paidRefund, (run) => void (run.approvals = [])],
    [
      "is REJECTED, rejected by null",
      rejectedRefund,
      (run) => change(run, rejectedRefund, { rejectedBy: null }),
    ],
    ["is SUCCESS, rejected by bora", paidRefund, (run) => change(run, paidRefund, { rejectedBy: "bora" })],
    ["the audit log says nothing", waitingRefund, (run) => void run.audit.pop()],
    [
      "the audit log says olga refund.approved,olga refund.approved",
      paidRefund,
      (run) => writeDown(run, { actor: "olga", action: "refund.approved", subject: paidRefund }),
    ],
  ],
  28: [
    [
      "the audit chain is broken",
      "refunds:2",
      (run) => Object.assign(run.audit[1] ?? {}, { actor: "mallory" }),
    ],
    ["the audit chain is broken", "refunds:3", (run) => void run.audit.splice(1, 1)],
    ["is not in the audit log", rejectedRefund, (run) => void run.audit.splice(1)],
    [
      "1 entries refund.approved, 0 such actions",
      waitingRefund,
      (run) => writeDown(run, { actor: "olga", action: "refund.approved", subject: waitingRefund }),
    ],
    [
      "an entry refund.approval_refused, and no such attempt",
      waitingRefund,
      (run) => writeDown(run, { actor: "cem", action: "refund.approval_refused", subject: waitingRefund }),
    ],
    [
      "an entry refund.agreed, and no such attempt",
      waitingRefund,
      (run) => writeDown(run, { actor: "cem", action: "refund.agreed", subject: waitingRefund }, "payments"),
    ],
    [
      "2 entries payment.reversal_decided, 1 such actions",
      refundedPayment,
      (run) => {
        run.operations.push({
          sequence: 0,
          operator: "olga",
          action: "payment.resolved",
          subject: refundedPayment,
          bytesSent: true,
          status: 409,
        });
        const entry = { actor: "olga", action: "payment.reversal_decided", subject: refundedPayment };
        for (let each = 0; each < 2; each += 1) writeDown(run, entry, "payments");
      },
    ],
    [
      "1 entries refund.rejected, 0 such actions",
      rejectedRefund,
      (run) => Object.assign(run.operations[1] ?? {}, { status: 503 }),
    ],
  ],
  35: [
    [
      "is FAILED, and the bank never declined it",
      paidRefund,
      (run) => change(run, paidRefund, { state: "FAILED" }),
    ],
    [
      "is FAILED, and the bank never declined it",
      paidRefund,
      (run) => [fail(run, paidRefund), Object.assign(declinedLine(run), { resultCode: "expired_request" })],
    ],
  ],
  43: [
    [
      "2 refunds have the name",
      refundedPayment,
      (run) => {
        pay(run, `${stranger}:refund`, 1n);
        run.bankCalls = callsOf(run.bank);
      },
    ],
  ],
  44: [
    ["3000 refunded here, and 3001 at", refundedPayment, (run) => pay(run, `${stranger}:refund`, 1n)],
    ["3001 refunded here, and 3000 at", refundedPayment, (run) => payment(run, { releasedMinor: 1n })],
  ],
  41: [
    [
      "counts 0 charged back, and its cases 1000",
      refundedPayment,
      (run) => chargeBack(run, { countedMinor: 1_000n }, 0n),
    ],
    [
      "3000 refunded and 8000 charged back of 10000, 0 of it said",
      refundedPayment,
      (run) => chargeBack(run, { countedMinor: 8_000n }),
    ],
    [
      "3000 refunded and 10000 charged back of 10000, 2999 of it said",
      refundedPayment,
      (run) => chargeBack(run, { countedMinor: 10_000n, excessMinor: 2_999n }),
    ],
  ],
  29: [
    [
      "the bank has 8349, we have 8250",
      money,
      (run) => Object.assign(saleLine(run), { amountMinor: 10_099n }),
    ],
    ["the bank has 8250, we have 11250", money, (run) => change(run, paidRefund, { state: "FAILED" })],
    [
      "the bank has 8250, we have 9500",
      money,
      (run) => Object.assign(run.payment(idOf(1)), { state: "CAPTURED", capturedMinor: 1_250n }),
    ],
  ],
};

/** Runs that look like a violation but are not. */
export const ALLOWED_IN_REFUNDS: [what: string, plant: (run: TestLedgers) => void][] = [
  ["a chargeback of what is left", (run) => chargeBack(run, { countedMinor: 7_000n })],
  [
    "a chargeback of all, which says what had been refunded",
    (run) => chargeBack(run, { countedMinor: 10_000n, excessMinor: 3_000n }),
  ],
  ["one that was given back", (run) => chargeBack(run, { countedMinor: 0n, excessMinor: 3_000n })],
  ["a refund request without an answer that left nothing", (run) => lose(run, {})],
  [
    "a refund whose request was repeated under its key and named at last",
    (run) => {
      const sent = run.history.find(({ refund }) => refund?.amount === "30.00");
      if (sent) sent.idempotencyKey = "refund-key";
      lose(run, { idempotencyKey: "refund-key", sequence: 7 });
      if (sent) run.history.push({ ...sent, replayed: true });
      read(run, paidRefund, "30.00");
    },
  ],
  [
    "a decision that was answered with nothing and stands",
    (run) => {
      const [operation] = run.operations;
      if (operation) delete operation.status;
    },
  ],
  [
    "an attempt to approve one's own, refused and written down",
    (run) => {
      run.operations.push({
        sequence: 9,
        operator: "cem",
        action: "refund.approved",
        subject: waitingRefund,
        bytesSent: true,
        status: 403,
        code: "same_person",
      });
      writeDown(run, { actor: "cem", action: "refund.approval_refused", subject: waitingRefund });
      writeDown(run, { actor: "cem", action: "refund.agreed", subject: waitingRefund }, "payments");
      writeDown(run, { actor: "refunds", action: "refund.sent_to_bank", subject: paidRefund }, "payments");
    },
  ],
  ["a refund that the bank declined", (run) => fail(run, paidRefund)],
  [
    "a refund that was approved under no name",
    (run) => Object.assign(paidLine(run), { externalTransactionId: "" }),
  ],
  [
    "a refund that the bank called too late, and paid under a further reference",
    (run) => {
      const line = paidLine(run);
      run.bank.push({ ...line, reference: `${line.reference}:2` });
      Object.assign(line, { outcome: "declined", resultCode: "expired_request" });
    },
  ],
  [
    "a second approval, refused",
    (run) =>
      run.operations.push({
        sequence: 9,
        operator: "olga",
        action: "refund.approved",
        subject: paidRefund,
        bytesSent: true,
        status: 409,
        code: "refund_already_decided",
      }),
  ],
];

function rowOf(run: TestLedgers, refundId: string): RefundRow {
  const found = run.refunds.find((row) => row.refundId === refundId);
  if (!found) throw new Error(`no refund ${refundId} was built`);
  return found;
}

function change(run: TestLedgers, refundId: string, differing: Partial<RefundRow>): void {
  Object.assign(rowOf(run, refundId), differing);
}

function payment(run: TestLedgers, differing: object): void {
  Object.assign(run.payment(refundedPayment), differing);
}

function addRow(run: TestLedgers, differing: Partial<RefundRow>): void {
  run.refunds.push({ ...rowOf(run, paidRefund), ...differing });
}

function forget(run: TestLedgers, refundId: string): void {
  run.refunds = run.refunds.filter((row) => row.refundId !== refundId);
}

function reserved(run: TestLedgers, refundId: string, differing: Partial<ReservationRow>): void {
  Object.assign(run.reservations.find((each) => each.refundId === refundId) ?? {}, differing);
}

function step(run: TestLedgers, refundId: string, version: number): object {
  return run.refundHistory.find((each) => each.refundId === refundId && each.version === version) ?? {};
}

function forgetStep(run: TestLedgers, refundId: string, version: number): void {
  run.refundHistory = run.refundHistory.filter(
    (each) => each.refundId !== refundId || each.version !== version,
  );
}

function paidLine(run: TestLedgers): BankLine {
  return run.bank.find(({ operation }) => operation === "refund")!;
}

function saleLine(run: TestLedgers): BankLine {
  return run.bank.find(({ reference }) => reference === refundedPayment)!;
}

function declinedLine(run: TestLedgers): BankLine {
  return run.bank.find(({ operation, outcome }) => operation === "refund" && outcome === "declined")!;
}

/** The refund, declined by the bank: its amount is free again, and merchant and event say so. */
function fail(run: TestLedgers, refundId: string): void {
  Object.assign(paidLine(run), { outcome: "declined", resultCode: "05" });
  change(run, refundId, { state: "FAILED" });
  Object.assign(step(run, refundId, 3), { to: "FAILING" });
  Object.assign(step(run, refundId, 4), { from: "FAILING", to: "FAILED" });
  reserved(run, refundId, { state: "RELEASED" });
  payment(run, { refundedMinor: 0n });
  for (const each of [...run.outbox, ...run.history]) {
    if (each.body?.includes(refundId)) each.body = each.body.replace('"SUCCESS"', '"FAILED"');
  }
  for (const event of run.outbox) if (event.paymentId === refundId) event.status = "FAILED";
}

function pay(run: TestLedgers, reference: string, amountMinor: bigint): void {
  run.bank.push({ ...bankLine(run.payment(refundedPayment), "refund", "approved"), reference, amountMinor });
}

function lose(
  run: TestLedgers,
  entry: { [Name in "status" | "sequence"]?: number } & { body?: string; idempotencyKey?: string },
): void {
  const refund = { paymentId: refundedPayment, amount: "30.00", currency: "TRY" };
  run.post({ orderId: "", path: `/api/payment/${refundedPayment}/refund`, refund, ...entry });
  delete run.history.at(-1)?.order;
}

function forgetAnswer(run: TestLedgers, refundId: string): void {
  const named = (body: string | undefined) => body?.includes(refundId);
  run.history = run.history.filter(({ refund, body }) => !refund || !named(body));
}

function read(run: TestLedgers, refundId: string, amount: string, currency = "TRY"): void {
  const { orderId } = run.payment(refundedPayment);
  const { state } = rowOf(run, refundId);
  run.get(refundId, {
    status: 200,
    body: recordText({ paymentId: refundId, orderId, currency, state }, amount),
  });
}

/** A case of the payment that has a refund. @param onRow the payment's sum, where it differs from the case's. */
function chargeBack(
  run: TestLedgers,
  funds: { countedMinor: bigint; excessMinor?: bigint },
  onRow = funds.countedMinor,
): void {
  run.chargebacks.push({ chargebackId: idOf(300), paymentId: refundedPayment, excessMinor: 0n, ...funds });
  payment(run, { chargedBackMinor: onRow });
}
