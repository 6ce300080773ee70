import type { PaymentRequest } from "../src/bank/money-request.ts";
import type { Order, Row } from "../src/bank/order.ts";
import { defaultModes, type Rules } from "../src/modes.ts";
import { NOON } from "./test-bank.ts";

/** A sale of 12.50 TRY before the day's end, in batch 1. */
export function row(changes: Partial<Row> = {}): Row {
  return {
    kind: "payment",
    status: "captured",
    isHold: false,
    transactionId: "26326AAAAB10001",
    captureTransactionId: undefined,
    amountMinor: 1_250n,
    capturedMinor: 1_250n,
    shownExtraMinor: 0n,
    currency: "TRY",
    installments: 1,
    atMs: NOON,
    capturedAtMs: NOON,
    voidedAtMs: undefined,
    batch: 1,
    settledInBatch: undefined,
    hostReference: "632612000001",
    authCode: "123456",
    procReturnCode: "00",
    pan: "435508******4358",
    authentication: null,
    ...changes,
  };
}

export function hold(changes: Partial<Row> = {}): Row {
  return row({
    isHold: true,
    status: "authorized",
    capturedMinor: undefined,
    capturedAtMs: undefined,
    ...changes,
  });
}

export function credit(amountMinor: bigint, changes: Partial<Row> = {}): Row {
  return row({
    kind: "credit",
    amountMinor,
    capturedMinor: amountMinor,
    transactionId: "26326AAAAC10002",
    ...changes,
  });
}

export function declinedSale(changes: Partial<Row> = {}): Row {
  return row({ status: "declined", procReturnCode: "51", capturedMinor: undefined, ...changes });
}

export function order(...rows: Row[]): Order {
  return { clientId: "990000001", orderId: "o", groupId: "o", rows };
}

export function rules(changes: Partial<Rules> = {}): Rules {
  return { ...defaultModes, ...changes };
}

/** A sale of 12.50 TRY with a good card. */
export function payment(changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    operation: "sale",
    orderId: "o",
    groupId: "",
    amountMinor: 1_250n,
    currency: "TRY",
    installments: 1,
    namesOne: false,
    card: { kind: "pan", pan: "4355084355084358", expiryMonth: 12, expiryYear: 30, cvv: "000" },
    ...changes,
  };
}
