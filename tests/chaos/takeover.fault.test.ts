// A process that stops for longer than its lease is a zombie: another one takes its payment over, and when it
// wakes up it changes nothing. A valid lease is respected. A claim that is committed too late is never sent
// to the bank.
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { problemOf, recordOf } from "../checker/answers.ts";
import {
  putBackOnTheBus,
  startSystemUnderTest,
  takeOffTheBus,
  untilHit,
  type SystemUnderTest,
} from "./system-under-test.ts";
import { fastTimers } from "./system/timers.ts";
import { endOfUnseen } from "./system/bank-habits.ts";

let sut: SystemUnderTest;

// No payment is young enough to be adopted after a lease has ended. The process that takes over reverses, so
// a zombie that had an effect would leave a payment without money, or money without a payment.
beforeAll(async () => {
  sut = await startSystemUnderTest({ ...fastTimers, ADOPT_WITHIN: "1s" });
});
afterAll(() => sut?.stop());

afterEach(() => sut.check());

test("a zombie that wakes up with the bank's yes finds the payment reversed, and changes nothing", async () => {
  const [zombie, successor] = sut.system.payments;
  const order = sut.order();
  await stopAt(zombie, "payments.after_acquirer");
  await takeOffTheBus(successor);
  const answer = await sut.client.post(order);
  expect(answer).toMatchObject({ status: 504 });
  await untilState(order.orderId, "FAILED");

  await wakeUp(zombie);
  await sut.settled();
  const look = await sut.look(order.orderId);
  expect(look.causes).toEqual(["claimed", "approved_too_late", "reversed"]);
  expect(look.bank).toMatchObject([{ operation: "authorize" }, { operation: "reverse" }]);
});

test("a zombie changes nothing while its successor is at work, either", async () => {
  const [zombie, successor] = sut.system.payments;
  const order = sut.order();
  await Promise.all([stopAt(zombie, "payments.after_acquirer"), stopAt(successor, "payments.after_inquiry")]);
  await takeOffTheBus(successor);
  const answer = sut.client.post(order);
  await untilHit(successor, "payments.after_inquiry");

  await wakeUp(zombie);
  expect(await sut.look(order.orderId)).toMatchObject({
    payments: [{ state: "AUTHORIZING" }],
    causes: ["claimed"],
  });
  successor.process.resume();
  expect(await answer).toMatchObject({ status: 504 });
  await putBackOnTheBus(successor);
  await sut.settled();
  expect((await sut.look(order.orderId)).causes).toEqual(["claimed", "approved_too_late", "reversed"]);
});

test("a worker that stood still after deciding to reverse changes nothing when it wakes up", async () => {
  const [zombie, successor] = sut.system.payments;
  const order = sut.order("hangs");
  await stopAt(zombie, "payments.after_reversal_decision");
  await takeOffTheBus(successor);
  successor.process.pause();
  expect(recordOf(await sut.client.post(order))).toMatchObject({ status: "ENROLLED" });
  await untilHit(zombie, "payments.after_reversal_decision");
  successor.process.resume();
  await untilState(order.orderId, "FAILED");

  await wakeUp(zombie);
  await sut.settled();
  const look = await sut.look(order.orderId);
  expect(look.causes).toEqual(["claimed", "not_found", endOfUnseen().cause]);
  expect(look.bank.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(endOfUnseen().bank);
});

test("a live lease is respected: a slow payment is answered by the process that has it", async () => {
  const [slow, other] = sut.system.payments;
  const order = sut.order();
  await slow.process.restart({ FAILPOINTS: "payments.after_claim:delay(500ms)" });
  await takeOffTheBus(other);
  expect(recordOf(await sut.client.post(order))).toMatchObject({ status: "SUCCESS" });
  await sut.settled();
  expect((await sut.look(order.orderId)).causes).toEqual(["claimed", "approved"]);
});

test("a claim that commits past the deadline is never sent to the bank", async () => {
  const [slow, other] = sut.system.payments;
  const order = sut.order();
  await slow.process.restart({ FAILPOINTS: "payments.before_claim:delay(7s)" });
  await takeOffTheBus(other);
  const answer = await sut.client.post(order);
  expect(answer).toMatchObject({ status: 504 });
  // The merchant asks, gets a 404, and may pay again.
  expect(await sut.client.get(problemOf(answer).paymentId ?? "")).toMatchObject({ status: 404 });

  await untilState(order.orderId, "FAILED");
  await sut.settled();
  expect(await sut.look(order.orderId)).toMatchObject({
    payments: [{ resultCode: "deadline_passed" }],
    causes: ["claimed", "deadline_passed"],
    bank: [],
  });
});

type Payments = SystemUnderTest["system"]["payments"][number];

async function stopAt({ process }: Payments, point: string): Promise<void> {
  await process.restart({ FAILPOINTS: `${point}:stop@1` });
}

/** Resumes it, and waits until it has finished its work: a payment that it makes afterwards succeeds. */
async function wakeUp(zombie: Payments): Promise<void> {
  zombie.process.resume();
  await zombie.process.untilReady();
  await eventually(async () => expect(await sut.client.post(sut.order())).toMatchObject({ status: 201 }));
}

async function untilState(orderId: string, state: string): Promise<void> {
  await eventually(async () => expect(await sut.look(orderId)).toMatchObject({ payments: [{ state }] }), {
    everyMs: 100,
  });
}
