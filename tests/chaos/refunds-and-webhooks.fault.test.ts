// The time after a payment: merchants ask for refunds, operators decide on them, and everything that ends is delivered
// to the merchant's receiver. Processes die at exact moments, and the checker judges the result.
import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { problemOf, recordOf, valuesOf } from "../checker/answers.ts";
import type { HistoryEntry } from "../checker/index.ts";
import { approve, reject, requestForMerchant } from "./operators-at-work.ts";
import {
  putBackOnTheBus,
  startSystemUnderTest,
  statusesOf,
  takeOffTheBus,
  untilDead,
  type SystemUnderTest,
} from "./system-under-test.ts";
import { loadTimers } from "./system/timers.ts";

let sut: SystemUnderTest;

beforeAll(async () => {
  sut = await startSystemUnderTest(loadTimers);
  await warmUp();
});
afterAll(() => sut?.stop());

afterEach(() => sut.check());

test("of six refunds of 60 % together one is accepted, and two approvals together pay it once", async () => {
  const paymentId = await sale("100.00");
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, gateway) => ask(paymentId, "60.00", { gateway })),
  );
  expect(statusesOf(answers)).toEqual(["202", "422", "422", "422", "422", "422"]);
  const refundId = acceptedIn(answers);
  const [olga, bora] = [await sut.system.operators.as("olga"), await sut.system.operators.as("bora")];
  const decisions = await Promise.all([approve(olga, refundId), approve(bora, refundId)]);
  expect(decisions.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await endOf(refundId)).toBe("SUCCESS");
});

test("a rejected refund's amount is free again", async () => {
  const paymentId = await sale("100.00");
  const refundId = acceptedIn([await ask(paymentId, "100.00")]);
  expect(problemOf(await ask(paymentId, "0.01")).code).toBe("refund_amount_exceeds_remaining");
  await reject(await sut.system.operators.as("olga"), refundId);
  expect(await endOf(refundId)).toBe("REJECTED");
  expect(await ask(paymentId, "100.00")).toMatchObject({ status: 202 });
});

test("nobody approves the refund they asked for", async () => {
  const paymentId = await sale("100.00");
  const [olga, bora] = [await sut.system.operators.as("olga"), await sut.system.operators.as("bora")];
  const requested = await requestForMerchant(olga, { paymentId, amount: "10.00", currency: "TRY" });
  const { refundId } = requested.body as { refundId: string };
  expect(await approve(olga, refundId)).toMatchObject({ body: { code: "same_person" } });
  expect(await approve(bora, refundId)).toMatchObject({ status: 200 });
  expect(await endOf(refundId)).toBe("SUCCESS");
});

test("nobody decides about a refund that was requested with a credential they issued", async () => {
  const refundId = acceptedIn([await ask(await sale("100.00"), "10.00")]);
  const [issuer, olga] = [await sut.system.operators.as("admin"), await sut.system.operators.as("olga")];
  expect(await approve(issuer, refundId)).toMatchObject({ body: { code: "same_person" } });
  expect(await reject(issuer, refundId)).toMatchObject({ body: { code: "same_person" } });
  expect(await approve(olga, refundId)).toMatchObject({ status: 200 });
  expect(await endOf(refundId)).toBe("SUCCESS");
});

test("killed when the bank has paid: another process finds that out, and the bank pays once", async () => {
  const refundId = acceptedIn([await ask(await sale("100.00"), "30.00")]);
  const [victim, survivor] = sut.system.refunds;
  await victim.process.restart({ FAILPOINTS: "refunds.after_acquirer:kill" });
  await takeOffTheBus(survivor);
  const decision = approve(await sut.system.operators.as("olga"), refundId);
  await untilDead(victim);
  await putBackOnTheBus(survivor);
  expect(await decision).toMatchObject({ status: 504 });
  expect(await endOf(refundId)).toBe("SUCCESS");
  await victim.process.start();
});

test("a receiver that fails is tried again until it answers, though JetStream loses everything meanwhile", async () => {
  const [{ receiver }] = sut.system.shops;
  receiver.behave({ kind: "status", status: 500 });
  const before = receiver.ledger.length;
  await sale("10.00");
  await eventually(() => receiver.ledger.length > before);
  await sut.system.nats.kill();
  sut.system.nats.wipe();
  await sut.system.nats.restart();
  await Promise.all(sut.system.gateways.map(({ process }) => process.untilReady()));
  const paymentId = await sale("11.00");
  receiver.behave({ kind: "status", status: 200 });
  await sut.settled();
  const delivered = receiver.ledger.findLast(({ body }) => body.toString().includes(paymentId));
  expect(delivered).toMatchObject({ answered: 200 });
});

test("dispatchers that die before they could commit an event lose nothing", async () => {
  const dispatchers = sut.system.webhooks;
  await Promise.all(dispatchers.map(({ links }) => links.database.set({ kind: "refuse" })));
  const before = dispatchers.map(({ process }) => refusals(process.log()));
  const paymentId = await sale("12.00");
  // Several tries of one batch: a premature confirmation would have happened by then.
  await eventually(() =>
    dispatchers.some(({ process }, index) => refusals(process.log()) > (before[index] ?? 0) + 3),
  );
  await Promise.all(dispatchers.map(({ process }) => process.kill()));
  await Promise.all(dispatchers.map(({ links }) => links.database.heal()));
  await Promise.all(dispatchers.map(({ process }) => process.start()));
  await sut.settled();
  const [{ receiver }] = sut.system.shops;
  const delivered = receiver.ledger.findLast(({ body }) => body.toString().includes(paymentId));
  expect(delivered).toMatchObject({ answered: 200 });
});

test("what was promised while the bank stood still is carried out once, however late the bank reads it", async () => {
  const bank = sut.system.acquirer.process;
  const [authorized, sold, cancelled] = [
    await authorization("50.00"),
    await sale("60.00"),
    await sale("70.00"),
  ];
  const refundId = acceptedIn([await ask(sold, "60.00")]);
  const olga = await sut.system.operators.as("olga");
  bank.pause();
  const answers = await Promise.all([
    sut.client.operate({ kind: "capture", paymentId: authorized, amount: "20.00" }),
    sut.client.operate({ kind: "cancel", paymentId: cancelled }),
    approve(olga, refundId),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 200]);
  expect(operationIn(answers[0])).toMatchObject({ type: "CAPTURE", status: "PENDING" });
  // This is longer than any expiry: calls that the bank reads from the sockets now have all expired.
  await eventually(async () => (await unfinished()).every(({ attempts }) => attempts >= 2));
  bank.resume();
  expect(await endOf(refundId)).toBe("SUCCESS");
  const captured = await sut.client.get(authorized);
  expect(recordOf(captured)).toMatchObject({ status: "CAPTURED" });
  expect(operationIn(captured)).toMatchObject({ type: "CAPTURE", status: "DONE" });
  expect(recordOf(await sut.client.get(cancelled))).toMatchObject({ status: "CANCELLED" });
  const moved = (await sut.ledgers()).bank
    .filter(({ reference }) => [authorized, cancelled, refundId].some((id) => reference.startsWith(id)))
    .map(({ operation, outcome }) => `${operation} ${outcome}`);
  expect(moved.toSorted()).toEqual([
    "authorize approved",
    "cancel approved",
    "capture approved",
    "refund approved",
    "sale approved",
  ]);
});

/**
 * Makes a first refund, because a cold process takes a while for it, which must not look like a fault's
 * effect.
 */
async function warmUp(): Promise<void> {
  const paymentId = await sale("100.00");
  await eventually(async () => {
    const answers = await Promise.all([0, 1, 2, 3].map((gateway) => ask(paymentId, "0.01", { gateway })));
    return answers.every(({ status }) => status === 202);
  });
}

/** The number of times that a dispatcher logged that it could not accept events. */
function refusals(log: string): number {
  return log.split('"operation":"accept"').length - 1;
}

/** A payment charged in one step. @returns its id. */
async function sale(amount: string): Promise<string> {
  const paid = await eventually(async () => {
    const answer = await sut.client.post({ ...sut.order(), amount, sale: true });
    return answer.status === 201 && (recordOf(answer)?.paymentId ?? false);
  });
  return paid;
}

async function authorization(amount: string): Promise<string> {
  const answer = await sut.client.post({ ...sut.order(), amount });
  expect(answer).toMatchObject({ status: 201 });
  return recordOf(answer)?.paymentId ?? "";
}

function operationIn({ body = "" }: HistoryEntry): unknown {
  return valuesOf(body)["lastOperation"];
}

/** Payments and refunds that wait for the bank, and how often it has been asked about each. */
async function unfinished(): Promise<{ attempts: number }[]> {
  return await withClient(sut.system.superuserUrl, async (client) => {
    const { rows } = await client.query<{ attempts: number }>(
      `select recovery_attempts as attempts from payments.payment where recover_at is not null
       union all select recovery_attempts from refunds.refund where recover_at is not null`,
    );
    return rows;
  });
}

async function ask(paymentId: string, amount: string, via: { gateway?: number } = {}): Promise<HistoryEntry> {
  return await sut.client.refund({ paymentId, amount, currency: "TRY" }, via);
}

function acceptedIn(answers: HistoryEntry[]): string {
  const accepted = answers.find(({ status }) => status === 202);
  const refundId = accepted && recordOf(accepted)?.paymentId;
  if (refundId === undefined) throw new Error(`none was accepted: ${JSON.stringify(answers)}`);
  return refundId;
}

async function endOf(refundId: string): Promise<string | undefined> {
  await sut.settled();
  return recordOf(await sut.client.get(refundId))?.status;
}
