// A payments process is killed at every point at which something has just been committed or sent. The client
// sees only answers that the promises allow, another process continues from the committed state, and
// repetitions under the same key always find the one payment.
import { FAILPOINTS, type Failpoint } from "@holdfast/service-runtime";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { problemOf, recordOf } from "../checker/answers.ts";
import type { HistoryEntry } from "../checker/index.ts";
import type { Order } from "./client/merchant-client.ts";
import { endOfUnseen } from "./system/bank-habits.ts";
import {
  hits,
  postManyAtOnce,
  putBackOnTheBus,
  startSystemUnderTest,
  statusesOf,
  takeOffTheBus,
  untilDead,
  type SystemUnderTest,
} from "./system-under-test.ts";
import { fastTimers } from "./system/timers.ts";

let sut: SystemUnderTest;

beforeAll(async () => {
  sut = await startSystemUnderTest(fastTimers);
});
afterAll(() => sut?.stop());

afterEach(() => sut.check());

test("killed before the claim: 504, nothing exists anywhere, and a repetition pays", async () => {
  const order = sut.order();
  const answer = await payWhileKilledAt("payments.before_claim", order);
  expect(answer).toMatchObject({ status: 504 });
  expect(await sut.look(order.orderId)).toMatchObject({ payments: [], bank: [] });
  expect(await sut.client.get(problemOf(answer).paymentId ?? "")).toMatchObject({ status: 404 });

  const repetitions = await repeat(order);
  expect(repetitions.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  await expectOnePayment(order, { state: "SUCCESS", bank: ["authorize approved"] });
});

test("killed after the claim: 504, and the payment fails once the bank has bound its reference", async () => {
  const order = sut.order();
  const answer = await payWhileKilledAt("payments.after_claim", order);
  expect(answer).toMatchObject({ status: 504 });
  expect(statusesOf(await repeat(order)).every((status) => status === "409" || status === "202")).toBe(true);
  expect(await repeatChanged(order)).toEqual(["422", "422"]);
  await expectOnePayment(order, { state: "FAILED", bank: endOfUnseen().bank });
  expect((await sut.look(order.orderId)).causes).toEqual(["claimed", "not_found", endOfUnseen().cause]);
});

test("killed after the bank approved: 504, and the approval is adopted", async () => {
  const order = sut.order();
  const answer = await payWhileKilledAt("payments.after_acquirer", order);
  expect(answer).toMatchObject({ status: 504 });
  expect(statusesOf(await repeat(order)).every((status) => status === "409" || status === "202")).toBe(true);
  expect(await repeatChanged(order)).toEqual(["422", "422"]);
  await expectOnePayment(order, { state: "SUCCESS", bank: ["authorize approved"] });
  expect((await sut.look(order.orderId)).causes).toEqual(["claimed", "inquiry_approved"]);
});

test("killed between the record's commit and its publishing: the payment is final, and others publish it", async () => {
  const order = sut.order();
  const answer = await payWhileKilledAt("payments.before_publish", order);
  expect(answer).toMatchObject({ status: 504 });
  const read = await sut.client.get(problemOf(answer).paymentId ?? "");
  expect(recordOf(read)).toMatchObject({ status: "SUCCESS", amount: "12.5" });
  // Everything is settled only when every event is confirmed.
  await expectOnePayment(order, { state: "SUCCESS", bank: ["authorize approved"] });
});

test("killed after the record: 504, the payment is final at once, and repetitions get the stored answer", async () => {
  const order = sut.order();
  const answer = await payWhileKilledAt("payments.after_record", order);
  expect(answer).toMatchObject({ status: 504 });
  const read = await sut.client.get(problemOf(answer).paymentId ?? "");
  expect(recordOf(read)).toMatchObject({ status: "SUCCESS", amount: "12.5" });
  expect((await repeat(order)).every(({ status, replayed }) => status === 201 && replayed)).toBe(true);
  await expectOnePayment(order, { state: "SUCCESS", bank: ["authorize approved"] });
});

test("killed after an inquiry: another process inquires again and adopts", async () => {
  const order = sut.order("approves_and_hangs");
  const answer = await payAndKillRecoveryAt("payments.after_inquiry", order);
  expect(recordOf(answer)).toMatchObject({ status: "ENROLLED" });
  await expectOnePayment(order, { state: "SUCCESS", bank: ["authorize approved"] });
});

test.each<[Failpoint, string]>([
  ["payments.after_reversal_decision", "the decision stands, and another process reverses"],
  ["payments.after_call_begin", "another process sends the reversal"],
  ["payments.after_call", "another process repeats the reversal and notes it"],
  ["payments.after_call_note", "another process repeats the reversal and records it"],
  ["payments.after_reversal", "another process repeats the reversal and records it"],
])("killed at %s: %s", async (point) => {
  const order = sut.order("hangs");
  const answer = await payAndKillRecoveryAt(point, order);
  expect(recordOf(answer)).toMatchObject({ status: "ENROLLED" });
  await expectOnePayment(order, { state: "FAILED", bank: endOfUnseen().bank });
  expect((await sut.look(order.orderId)).causes).toEqual(["claimed", "not_found", endOfUnseen().cause]);
});

test.each<[Failpoint, string]>([
  ["payments.operation_after_claim", "another process captures under the same reference"],
  ["payments.after_call_begin", "another process captures under the same reference"],
  ["payments.after_call", "another process finds out that the bank has captured"],
  ["payments.after_call_note", "another process finds out that the bank has captured"],
  ["payments.operation_after_acquirer", "another process finds out that the bank has captured"],
])("killed at %s: 504, and %s", async (point) => {
  const order = sut.order();
  const paymentId = recordOf(await sut.client.post(order))?.paymentId ?? "";
  const capture = { kind: "capture", paymentId, amount: "10.00" } as const;
  expect(await whileKilledAt(point, () => sut.client.operate(capture))).toMatchObject({ status: 504 });
  await sut.settled();
  expect(await sut.look(order.orderId)).toMatchObject({
    payments: [{ state: "CAPTURED", capturedMinor: 1_000n }],
    bank: [{ operation: "authorize" }, { operation: "capture", amountMinor: 1_000n }],
  });
});

test("killed when the refund of a settled sale was paid: another process finds it, and none is paid again", async () => {
  const { acquirer } = sut.system;
  const order: Order = { ...sut.order("other_amount"), sale: true };
  // The bank's day is closed while the reversal is not answered.
  await acquirer.queueFault({ operation: "reverse", behaviour: "hang_before", times: 2 });
  const answer = await payAndKillRecoveryAt("payments.after_reversal_refund", order, async () => {
    await eventually(async () => expect((await sut.look(order.orderId)).bank).toHaveLength(1));
    await acquirer.closeBusinessDay();
  });
  expect(recordOf(answer)).toMatchObject({ status: "ENROLLED" });
  await expectOnePayment(order, { state: "FAILED", bank: ["sale approved", "refund approved"] });
});

/** Hit by the services' own tests of refunds, of accounts, of 3-D Secure and of checkouts, which kill them there. */
const ELSEWHERE =
  /reservation|refund_call|refund_inquiry|after_heard|failover|enrolment|challenge|frictionless|completion|checkout/;

test("every failpoint of payments was hit", () => {
  const log = sut.system.payments[0].process.log();
  const points = FAILPOINTS.filter((point) => !ELSEWHERE.test(point)).filter((point) =>
    point.startsWith("payments."),
  );
  expect(points.filter((point) => hits(log, point) === 0)).toEqual([]);
});

async function payWhileKilledAt(point: Failpoint, order: Order): Promise<HistoryEntry> {
  return await whileKilledAt(point, () => sut.client.post(order, { key: keyOf(order) }));
}

/** Sends a request to a process that dies at the point; the other process is up again when this resolves. */
async function whileKilledAt(point: Failpoint, send: () => Promise<HistoryEntry>): Promise<HistoryEntry> {
  const [victim, survivor] = sut.system.payments;
  await Promise.all([victim.process.restart({ FAILPOINTS: `${point}:kill` }), takeOffTheBus(survivor)]);
  const answer = sendUntil(send, () => !victim.process.isRunning());
  await untilDead(victim);
  await putBackOnTheBus(survivor);
  return await answer;
}

/**
 * Sends a request until its answer is the expected one, and returns that. A busy machine may answer 504 to a
 * request that it did not begin in time, which has done nothing.
 */
async function sendUntil(
  send: () => Promise<HistoryEntry>,
  isIt: (answer: HistoryEntry) => boolean,
): Promise<HistoryEntry> {
  return await eventually(async () => {
    const answer = await send();
    return isIt(answer) && answer;
  });
}

/** Pays with a card whose outcome is unknown, and kills the process whose recovery gets to the point. */
async function payAndKillRecoveryAt(
  point: Failpoint,
  order: Order,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<HistoryEntry> {
  const [victim, survivor] = sut.system.payments;
  await Promise.all([victim.process.restart({ FAILPOINTS: `${point}:kill` }), takeOffTheBus(survivor)]);
  survivor.process.pause();
  const answer = await sendUntil(
    () => sut.client.post(order, { key: keyOf(order) }),
    ({ status }) => status === 202 || !victim.process.isRunning(),
  );
  await meanwhile();
  await untilDead(victim);
  survivor.process.resume();
  await putBackOnTheBus(survivor);
  return answer;
}

/** Sends the same request twenty times in parallel over both gateways. */
async function repeat(order: Order): Promise<HistoryEntry[]> {
  return await postManyAtOnce(
    sut.client,
    Array.from({ length: 20 }, () => order),
    keyOf(order),
  );
}

/** Sends the request with another amount. */
async function repeatChanged(order: Order): Promise<string[]> {
  const changed = { ...order, amount: "13.50" };
  return statusesOf(await postManyAtOnce(sut.client, [changed, changed], keyOf(order)));
}

function keyOf({ orderId }: Order): string {
  return `key-of-${orderId}`;
}

async function expectOnePayment(
  order: Order,
  { state, bank }: { state: string; bank: string[] },
): Promise<void> {
  await sut.settled();
  const look = await sut.look(order.orderId);
  expect(look.payments).toMatchObject([{ state }]);
  expect(look.bank.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(bank);
  const replay = await sut.client.post(order, { key: keyOf(order) });
  expect(replay).toMatchObject({ status: 201, replayed: true });
  expect(recordOf(replay)).toMatchObject({ paymentId: look.payments[0]?.paymentId, status: state });
  expect(await repeatChanged(order)).toEqual(["422", "422"]);
}
