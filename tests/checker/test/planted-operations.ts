import type { BankLine } from "../ledgers.ts";
import { change, paid, reversed, stepTo, textOf } from "./change-payments.ts";
import { PLANTED_ELSEWHERE } from "./planted-elsewhere.ts";
import type { Planted } from "./planted.ts";
import { bankLine, eventOf, idOf, recordText, type TestLedgers } from "./test-ledgers.ts";
import { paidRefund } from "./test-refunds.ts";

const reference = `${paid}:capture:${idOf(50)}`;
const [settled, partial, resolved] = [idOf(61), idOf(62), idOf(63)];

/** Violations of the promises about a bank that misbehaves, planted in a run in which everything is right. */
export const PLANTED_IN_OPERATIONS: Record<number, Planted[]> = {
  3: [
    [
      "is FAILED, and 1",
      settled,
      (run) => [giveBack(run), Object.assign(lastLine(run), { amountMinor: 1n })],
    ],
    ["is FAILED, and 1", settled, (run) => [giveBack(run), Object.assign(lastLine(run), TOO_LATE)]],
    [
      "is FAILED, and 1",
      settled,
      (run) => [giveBack(run), Object.assign(lastLine(run), { reference: `${settled}:refund` })],
    ],
    ["is SUCCESS, and 0", settled, (run) => [giveBack(run), change(run, settled, { state: "SUCCESS" })]],
    ["is CANCELLED, and 1", paid, (run) => lapse(run, { cause: "expired" })],
    ["is CANCELLED, and 1", paid, (run) => [lapse(run), run.bank.pop()]],
    ["was captured 1 times", paid, (run) => [lapse(run), run.bank.push(line(run, {}))]],
  ],
  4: [
    [
      "differs from what stands",
      partial,
      (run) => [approveInPart(run), run.bank.pop(), change(run, partial, { state: "SUCCESS" })],
    ],
    [
      "differs from what stands",
      partial,
      (run) => [
        approveInPart(run),
        run.bank.pop(),
        Object.assign(lastLine(run), { requestedMinor: 9n }),
        change(run, partial, { state: "REVERSING" }),
      ],
    ],
  ],
  5: [
    [
      "approved at the bank, and never reversed",
      settled,
      (run) => [giveBack(run), Object.assign(lastLine(run), TOO_LATE)],
    ],
  ],
  6: [
    [
      "at the bank 624 TRY",
      partial,
      (run) => [approveInPart(run), Object.assign(lastLine(run), { amountMinor: 624n })],
    ],
    [
      "at the bank 1251 TRY",
      partial,
      (run) => [approveInPart(run), Object.assign(run.bank.at(-2) ?? {}, { requestedMinor: 1_251n })],
    ],
  ],
  8: [
    [
      "from REVERSING to SUCCESS (test) is not in the table",
      resolved,
      (run) => [resolve(run), Object.assign(run.paymentHistory.at(-1) ?? {}, { cause: "test" })],
    ],
  ],
  35: [
    [
      "was carried out 2 times",
      paid,
      (run) => [capture(run, {}), capture(run, { reference: `${reference}:2` })],
    ],
    ["was too late, and was not asked for again", paid, (run) => void run.bank.push(line(run, TOO_LATE))],
    [
      "was answered 202, and the bank has neither",
      paid,
      (run) => [promise(run, 202), run.bank.push(line(run, TOO_LATE))],
    ],
    ["was answered 202, and the bank has neither", paid, (run) => promise(run, 202)],
    [
      "was answered 200, and the bank has neither",
      paid,
      (run) => [promise(run, 200), run.bank.push(line(run, DECLINED))],
    ],
    [
      "was answered 202, and the bank has neither",
      paid,
      (run) => [promise(run, 202, "10.00"), run.bank.push(line(run, {}))],
    ],
    [
      "was carried out 2 times",
      settled,
      (run) => [giveBack(run), run.bank.push({ ...lastLine(run), reference: `${settled}:reversal:3` })],
    ],
  ],
  36: [
    ["shows no operation, and the bank has CAPTURE DONE 1250 00", paid, (run) => capture(run, {})],
    ["shows CAPTURE PENDING 1250", paid, (run) => [capture(run, {}), show(run, { status: "PENDING" })]],
    ["shows CAPTURE DECLINED 1250", paid, (run) => [capture(run, {}), show(run, { status: "DECLINED" })]],
    ["shows CANCEL DONE 1250", paid, (run) => [capture(run, {}), show(run, { type: "CANCEL" })]],
    ["shows CAPTURE DONE 1200", paid, (run) => [capture(run, {}), show(run, { amount: "12.00" })]],
    ["shows CAPTURE DONE 1250 05", paid, (run) => [capture(run, {}), show(run, { resultCode: "05" })]],
    ["shows CAPTURE DONE at an unknown time", paid, (run) => [capture(run, {}), show(run, { at: "then" })]],
    ["and the bank has no operation", paid, (run) => show(run, {})],
    [
      "shows CAPTURE DECLINED 1250 SETTLED, and the bank has no operation",
      paid,
      (run) => show(run, { status: "DECLINED", resultCode: "SETTLED" }),
    ],
    [
      "and the bank has CAPTURE DECLINED 1250 expired_request",
      paid,
      (run) => [run.bank.push(line(run, TOO_LATE)), show(run, {})],
    ],
  ],
  37: [
    ["has the version missing", paid, (run) => tell(run, /,"version":\d+/, "")],
    ['has the version "2"', paid, (run) => tell(run, /"version":(\d+)/, '"version":"$1"')],
    ["has the version 1.5", paid, (run) => tell(run, /"version":\d+/, '"version":1.5')],
    ["has the statusDate undefined", paid, (run) => tell(run, /,"statusDate":"[^"]+"/, "")],
    [
      "has the statusDate yesterday",
      paid,
      (run) => tell(run, /"statusDate":"[^"]+"/, '"statusDate":"yesterday"'),
    ],
    ["CANCELLED with the version 2", paid, (run) => cancel(run, { version: 2 })],
    [
      "came CANCELLED of 2026-11-20T11:58",
      paid,
      (run) => cancel(run, { statusDate: "2026-11-20T11:58:00.000Z" }),
    ],
    [
      "was read as version 3 and later as 2",
      paid,
      (run) => [readVersion(run, { version: 3 }), readVersion(run, { version: 2 })],
    ],
    [
      "two states were read as version 2",
      paid,
      (run) => [readVersion(run, { version: 2 }), readVersion(run, { version: 2, state: "CANCELLED" })],
    ],
  ],
  38: [
    ["is REVERSING, and no attempt", reversed, (run) => change(run, reversed, { state: "REVERSING" })],
    ["is SUCCESS, and no attempt", paid, (run) => change(run, paid, { operated: true })],
    [
      "is EXECUTING, and no attempt",
      paidRefund,
      (run) =>
        Object.assign(run.refunds.find(({ refundId }) => refundId === paidRefund) ?? {}, {
          state: "EXECUTING",
        }),
    ],
  ],
  39: [
    [
      "is SUCCESS and 60 s old, and did not expire",
      paid,
      (run) => void (run.rules.authorizationExpiresAfterMs = 40_000),
    ],
  ],
  40: PLANTED_ELSEWHERE,
};

/** Runs that look like a violation but are not. */
export const ALLOWED_IN_OPERATIONS: [what: string, plant: (run: TestLedgers) => void][] = [
  [
    "a capture that was called too late, and carried out under a further reference",
    (run) => {
      promise(run, 202);
      run.bank.push(line(run, TOO_LATE), line(run, { ...TOO_LATE, reference: `${reference}:2` }));
      capture(run, { reference: `${reference}:3` });
      show(run, { state: "CAPTURED" });
    },
  ],
  [
    "a capture that was answered 202, and declined by the bank",
    (run) => {
      promise(run, 202);
      run.bank.push(line(run, TOO_LATE), line(run, { ...DECLINED, reference: `${reference}:2` }));
      show(run, { status: "DECLINED", resultCode: "05" });
    },
  ],
  [
    "a capture of which the bank carried out a part, which people booked",
    (run) => {
      promise(run, 202, "12.50");
      capture(run, { amountMinor: 625n, requestedMinor: 1_250n });
      change(run, paid, { capturedMinor: 625n });
      show(run, { amount: "6.25" });
    },
  ],
  [
    "a cancellation that the bank's record declines",
    (run) => show(run, { type: "CANCEL", status: "DECLINED", resultCode: "SETTLED" }),
  ],
  ["a settled sale that was given back by a refund", (run) => giveBack(run)],
  [
    "one whose first refund was called too late",
    (run) => {
      giveBack(run);
      const back = lastLine(run);
      run.bank.splice(-1, 1, { ...back, ...TOO_LATE }, { ...back, reference: `${settled}:reversal:2` });
    },
  ],
  ["a partial approval that was reversed in its own amount", (run) => approveInPart(run)],
  ["a payment that two operators made a SUCCESS of", (run) => resolve(run)],
  ["events whose versions and dates rise", (run) => cancel(run, {})],
  [
    "an authorization whose expiry the bank has declined",
    (run) => {
      run.rules.authorizationExpiresAfterMs = 40_000;
      for (const payment of run.payments) payment.ageMs = 1_000;
      change(run, paid, { ageMs: 60_000 });
      run.bank.push(line(run, { ...DECLINED, operation: "cancel", reference: `${paid}:expiry:${idOf(51)}` }));
      show(run, { type: "EXPIRY", status: "DECLINED", resultCode: "05" });
    },
  ],
  ["an authorization that has expired, and whose hold the bank lets lapse", (run) => lapse(run)],
];

const DECLINED = { outcome: "declined", resultCode: "05", authCode: null } as const;
const TOO_LATE = { ...DECLINED, resultCode: "expired_request" } as const;

function line(run: TestLedgers, differing: Partial<BankLine>): BankLine {
  return { ...bankLine(run.payment(paid), "capture", "approved"), reference, ...differing };
}

function lastLine(run: TestLedgers): BankLine {
  const last = run.bank.at(-1);
  if (!last) throw new Error("the bank has no line");
  return last;
}

/** A capture at the bank, with the payment's new state; no read shows it yet. */
function capture(run: TestLedgers, differing: Partial<BankLine>): void {
  if (run.payment(paid).state === "SUCCESS") stepTo(run, paid, "CAPTURED");
  change(run, paid, { capturedMinor: 1_250n });
  run.bank.push(line(run, differing));
  run.get(paid, { status: 200, body: textOf(run, paid) });
}

function promise(run: TestLedgers, status: 200 | 202, amount?: string): void {
  const operation = { kind: "capture", paymentId: paid, ...(amount !== undefined && { amount }) } as const;
  const path = `/api/payment/${paid}/capture`;
  run.post({ orderId: "", path, operation, status, body: textOf(run, paid, { state: "SUCCESS" }) });
  delete run.history.at(-1)?.order;
}

/** A cancellation that was promised, and is shown as declined by a code of no list. */
export function declineCancel(run: TestLedgers): void {
  promise(run, 202);
  run.history.at(-1)!.operation = { kind: "cancel", paymentId: paid };
  show(run, { type: "CANCEL", status: "DECLINED", resultCode: "VPS-1999" });
}

function show(
  run: TestLedgers,
  { state = run.payment(paid).state, amount = "12.50", ...differing }: Record<string, string> = {},
): void {
  const shown = { type: "CAPTURE", status: "DONE", resultCode: "00", at: "2026-11-20T12:00:00.000Z" };
  const fields = JSON.stringify({ ...shown, ...differing, amount: "AMOUNT" }).replace('"AMOUNT"', amount);
  const body = textOf(run, paid, { state }).replace(/}$/, `,"lastOperation":${fields}}`);
  run.get(paid, { status: 200, body });
}

/** A sale whose answer was lost, which the bank had settled before it could be reversed, and then refunded. */
function giveBack(run: TestLedgers): void {
  run.reversed(settled);
  change(run, settled, { transactionType: "PAYMENT" });
  const row = run.payment(settled);
  run.bank.splice(-2, 2, bankLine(row, "sale", "approved"), {
    ...bankLine(row, "refund", "approved"),
    reference: `${settled}:reversal`,
  });
}

/** An authorization of which the bank approved a half, and which was reversed. */
function approveInPart(run: TestLedgers): void {
  run.reversed(partial);
  for (const each of run.bank.slice(-2)) each.amountMinor = 625n;
  Object.assign(run.bank.at(-2) ?? {}, { requestedMinor: 1_250n });
}

/** A payment whose reversal the bank refused, and of which two operators made a SUCCESS. */
function resolve(run: TestLedgers): void {
  run.paid(resolved);
  const step = run.paymentHistory.at(-1);
  if (!step) throw new Error("a payment was built without its history");
  const made = { ...step, version: 3, from: "REVERSING", cause: "resolved_by_operators" };
  Object.assign(step, { to: "REVERSING", transactionId: "decided" });
  run.paymentHistory.push(made);
  change(run, resolved, { version: 3 });
}

/** Cancels it in the end, with an event. */
function cancel(run: TestLedgers, differing: { version?: number; statusDate?: string }): void {
  stepTo(run, paid, "CANCELLED");
  const row = run.payment(paid);
  const { body, ...event } = eventOf({ ...row, version: differing.version ?? row.version }, "x");
  const dated = differing.statusDate
    ? body.replace(/"statusDate":"[^"]+"/, `"statusDate":"${differing.statusDate}"`)
    : body;
  run.outbox.push({ ...event, body: dated });
  run.bank.push(line(run, { operation: "cancel", reference: `${paid}:cancel:${idOf(52)}` }));
  show(run, { type: "CANCEL", state: "CANCELLED" });
}

/** Expires, though the bank declines to release the hold. */
function lapse(run: TestLedgers, { cause = "hold_lapses" } = {}): void {
  stepTo(run, paid, "CANCELLED");
  Object.assign(run.paymentHistory.at(-1) ?? {}, { cause });
  run.outbox.push(eventOf(run.payment(paid), "x"));
  run.bank.push(line(run, { ...DECLINED, operation: "cancel", reference: `${paid}:expiry:${idOf(51)}` }));
  show(run, { type: "EXPIRY", status: "DECLINED", resultCode: "05" });
}

function tell(run: TestLedgers, search: RegExp, replace: string): void {
  const event = run.outbox.find(({ paymentId }) => paymentId === paid);
  if (event) event.body = event.body.replace(search, replace);
}

function readVersion(run: TestLedgers, { version, state }: { version: number; state?: string }): void {
  const row = { ...run.payment(paid), ...(state !== undefined && { state }) };
  const body = recordText(row, "12.50").replace(/}$/, `,"version":${version}}`);
  run.get(paid, { status: 200, body });
}
