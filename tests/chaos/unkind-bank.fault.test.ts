// A bank that calls requests too late, approves a part, settles its day before a reversal arrives, and pads
// its texts. A request answered with 202 is carried out all the same, and no buyer is charged whose merchant
// got FAILED. (`refunds-and-webhooks.fault.test.ts` has a bank that hangs.)
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordOf, valuesOf } from "../checker/answers.ts";
import type { BankLine, HistoryEntry } from "../checker/index.ts";
import { eventually } from "../support/index.ts";
import type { Order } from "./client/merchant-client.ts";
import { approve } from "./operators-at-work.ts";
import { startSystemUnderTest, type SystemUnderTest } from "./system-under-test.ts";
import { fastTimers } from "./system/timers.ts";

let sut: SystemUnderTest;

beforeAll(async () => {
  sut = await startSystemUnderTest(fastTimers);
});
afterAll(() => sut?.stop());

afterEach(() => sut.check());

test("what the bank calls too late is asked for again, under further references", async () => {
  const [captured, cancelled] = [await pay(), await pay()];
  for (const operation of ["capture", "cancel"]) await bend(operation, "expire", 2);
  await sut.client.operate({ kind: "capture", paymentId: captured.paymentId });
  await sut.client.operate({ kind: "cancel", paymentId: cancelled.paymentId });
  await sut.settled();

  const late = "declined expired_request";
  expect(await ends(captured, "capture")).toEqual(["CAPTURED", "CAPTURE DONE", late, late, "approved 00"]);
  expect(await ends(cancelled, "cancel")).toEqual(["CANCELLED", "CANCEL DONE", late, late, "approved 00"]);
});

test("a capture whose end is unknown, and which the bank then declines, is shown as declined", async () => {
  const { order, paymentId } = await pay();
  await bend("capture", "hang_before");
  await bend("capture", "decline");
  expect(await sut.client.operate({ kind: "capture", paymentId })).toMatchObject({ status: 202 });
  await sut.settled();
  expect(await ends({ order, paymentId }, "capture")).toEqual(["SUCCESS", "CAPTURE DECLINED", "declined 05"]);
});

test("a sale that was settled before its reversal came is refunded, and only then FAILED", async () => {
  const order: Order = { ...sut.order("other_amount"), sale: true };
  await bend("reverse", "hang_before", 2);
  await bend("refund", "expire");
  const answer = await sut.client.post(order);
  expect(recordOf(answer)?.status).toBe("ENROLLED");
  await eventually(async () => expect((await sut.look(order.orderId)).bank).toHaveLength(1));
  await sut.system.acquirer.closeBusinessDay();
  await sut.settled();

  const { payments, bank } = await sut.look(order.orderId);
  expect(payments).toMatchObject([{ state: "FAILED" }]);
  const { paymentId = "" } = payments[0] ?? {};
  expect(bank.map(({ reference, ...line }) => [reference, ...described(line)])).toEqual([
    [paymentId, "sale", "approved", "00"],
    [`${paymentId}:reversal`, "refund", "declined", "expired_request"],
    [`${paymentId}:reversal:2`, "refund", "approved", "00"],
  ]);
});

test.each([
  ["an authorization", "authorize", {}],
  ["a sale", "sale", { sale: true }],
])("%s that the bank approved in part is reversed in that part, and FAILED", async (_, operation, kind) => {
  const order = { ...sut.order(), ...kind };
  await bend(operation, "partial");
  expect(recordOf(await sut.client.post(order))?.status).toBe("ENROLLED");
  await sut.settled();
  expect(await sut.look(order.orderId)).toMatchObject({
    payments: [{ state: "FAILED" }],
    bank: [
      { operation, amountMinor: 625n, requestedMinor: 1_250n, outcome: "approved" },
      { operation: "reverse", amountMinor: 625n },
    ],
  });
});

test("a payment that the bank calls too late is FAILED, and not sent again", async () => {
  const order = sut.order();
  await bend("authorize", "expire");
  await sut.client.post(order);
  await sut.settled();
  expect(await sut.look(order.orderId)).toMatchObject({
    payments: [{ state: "FAILED", resultCode: "expired_request" }],
    bank: [{ operation: "authorize", outcome: "declined", resultCode: "expired_request" }],
  });
});

test("a bank's texts lose their control characters, in answers, and when it is asked again", async () => {
  for (const operation of ["authorize", "capture", "inquire"]) await bend(operation, "control_characters");
  const first = await sut.client.post(sut.order());
  expect(first).toMatchObject({ status: 201 });
  expectPrintable(first);
  const { paymentId = "" } = recordOf(first) ?? {};
  const capture = await sut.client.operate({ kind: "capture", paymentId });
  expect(capture).toMatchObject({ status: 200 });
  expectPrintable(capture);

  const lost = await sut.client.post(sut.order("approves_and_hangs"));
  await sut.settled();
  const read = await sut.client.get(recordOf(lost)?.paymentId ?? "");
  expect(recordOf(read)?.status).toBe("SUCCESS");
  expectPrintable(read);
});

test("a refund that the bank calls too late is asked for again, under further references", async () => {
  const refundId = await accepted((await pay({ sale: true })).paymentId);
  await bend("refund", "expire", 2);
  await approve(await sut.system.operators.as("olga"), refundId);
  await sut.settled();
  expect(recordOf(await sut.client.get(refundId))?.status).toBe("SUCCESS");
  const { bank } = await sut.ledgers();
  expect(
    bank
      .filter(({ reference }) => reference.startsWith(refundId))
      .map(({ outcome, resultCode }) => `${outcome} ${resultCode}`),
  ).toEqual(["declined expired_request", "declined expired_request", "approved 00"]);
});

type Paid = { order: Order; paymentId: string };

async function pay(kind: Pick<Order, "sale"> = {}): Promise<Paid> {
  const order = { ...sut.order(), ...kind };
  const answer = await sut.client.post(order);
  expect(answer).toMatchObject({ status: 201 });
  return { order, paymentId: recordOf(answer)?.paymentId ?? "" };
}

/** A refund of all of it that waits for its approval. @returns its id. */
async function accepted(paymentId: string): Promise<string> {
  const answer = await sut.client.refund({ paymentId, amount: "12.50", currency: "TRY" });
  expect(answer).toMatchObject({ status: 202 });
  return recordOf(answer)?.paymentId ?? "";
}

async function bend(operation: string, behaviour: string, times = 1): Promise<void> {
  await sut.system.acquirer.queueFault({ operation, behaviour, times });
}

/** The states of the payment and its latest operation in an answer, and the bank's outcome of each try. */
async function ends({ order, paymentId }: Paid, operation: string): Promise<string[]> {
  const read = await sut.client.get(paymentId);
  const { type, status } = operationIn(read);
  const { bank } = await sut.look(order.orderId);
  return [
    recordOf(read)?.status ?? "missing",
    `${type} ${status}`,
    ...bank
      .filter((line) => line.operation === operation)
      .map(({ outcome, resultCode }) => `${outcome} ${resultCode}`),
  ];
}

function operationIn({ body = "" }: HistoryEntry): { type?: string; status?: string } {
  const { lastOperation = {} } = valuesOf(body);
  return lastOperation as { type?: string; status?: string };
}

function described({ operation, outcome, resultCode }: Omit<BankLine, "reference">): string[] {
  return [operation, outcome, resultCode];
}

/** Control characters appear in JSON as escapes. */
function expectPrintable({ body = "" }: HistoryEntry): void {
  expect(body).not.toMatch(/\\u00[01]/);
  expect(String(valuesOf(body)["resultCode"])).toBe("00");
}
