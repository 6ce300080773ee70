import { randomBytes, randomUUID } from "node:crypto";
import { PAYMENT_STATUS_CHANGED, type MerchantEvent } from "@holdfast/contracts";

/** Makes a UUIDv7 of a time. */
export function uuidAt(ms: number): string {
  const time = Math.floor(ms).toString(16).padStart(12, "0");
  const random = randomBytes(10).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}

export type TestEvent = Omit<MerchantEvent, "body"> & { body: Buffer };

/**
 * An event as an owner publishes it; its keys are in no order and a number is not in its shortest form, as real bytes
 * may be.
 */
export function newEvent(change: Partial<TestEvent> & { at?: number } = {}): TestEvent {
  const { at = Date.now(), ...fields } = change;
  const paymentId = fields.paymentId ?? randomUUID();
  const status = fields.status ?? "SUCCESS";
  const transactionType = fields.source === "refunds" ? "REFUND" : "PAYMENT";
  const record = `{"status":"${status}", "paymentId":"${paymentId}","amount":12.50,"transactionType":"${transactionType}","cardSubType":"CLASSIC","cardHolderName":"Ş😀"}`;
  return {
    eventId: uuidAt(at),
    eventType: PAYMENT_STATUS_CHANGED,
    source: "payments",
    merchantId: randomUUID(),
    paymentId,
    status,
    body: Buffer.from(record),
    ...fields,
  };
}
