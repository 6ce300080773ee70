import { randomInt, randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { armFailpoints, type Failpoint } from "@holdfast/service-runtime";
import { eventually } from "../support/index.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/**
 * Random histories of pay, capture, refund, approve, reject and crash against two real processes of each service, each
 * step compared with a model of a few lines. `REFUND_MODEL_SEED=n` repeats a run; fast-check prints the history that
 * failed, made as short as it can be.
 */
const HISTORIES_AT_ONCE = 6;
const ROUNDS = 50;

type ModelPayment = {
  id: string;
  amount: number;
  uncaptured: boolean;
  captured: number | undefined;
  reserved: number;
  refunded: number;
  released: number;
};
type ModelRefund = {
  id: string;
  payment: ModelPayment;
  amount: number;
  release: boolean;
  state: "PENDING_APPROVAL" | "SUCCESS" | "FAILED" | "REJECTED";
};
type Model = { payments: ModelPayment[]; refunds: ModelRefund[] };
type Real = RefundsHarness;
type Step = fc.AsyncCommand<Model, Real>;

let real: RefundsHarness;

beforeAll(async () => {
  real = await startRefundsHarness({ env: { ...FAST, DRAIN_TIMEOUT: "200ms" } });
  await Promise.all([real.startRefunds(), real.startPayments()]);
});
afterAll(() => real.close());

test("random histories end as the model says, crashes or not", async () => {
  const seed = Number(process.env["REFUND_MODEL_SEED"] ?? randomInt(2 ** 31));
  process.stdout.write(`refund model: REFUND_MODEL_SEED=${seed}, ${ROUNDS * HISTORIES_AT_ONCE} histories\n`);
  const histories = fc.array(fc.commands(steps(), { maxCommands: 12, size: "+1" }), {
    minLength: HISTORIES_AT_ONCE,
    maxLength: HISTORIES_AT_ONCE,
  });
  const property = fc.asyncProperty(histories, async (all) => {
    await Promise.all(
      all.map(async (history) => {
        const model: Model = { payments: [], refunds: [] };
        await fc.asyncModelRun(() => ({ model, real }), history);
        await expectSame(model);
      }),
    );
  });
  await fc.assert(property, {
    seed,
    numRuns: ROUNDS,
    // A busy machine gets through fewer of them.
    interruptAfterTimeLimit: 200_000,
    markInterruptAsFailure: false,
  });
  // A payment that was answered too late for a history may still be under way.
  await eventually(async () => expect(await real.broken()).toEqual([]));
  const [{ count } = { count: 0 }] = await real.query<{ count: number }>(
    "select count(*)::int from refunds.refund",
  );
  expect(count).toBeGreaterThan(100);
}, 600_000);

function steps(): fc.Arbitrary<Step>[] {
  const index = fc.nat(20);
  // The last two digits choose the bank's answer: mostly nothing special, declined, HTTP 500.
  const tail = fc.constantFrom(0, 0, 0, 0, 91, 95);
  const ask = fc.tuple(index, fc.integer({ min: 1, max: 70 }), tail);
  const crashOfRequest = fc.constantFrom("after_claim", "after_reservation", "after_request");
  const crashOfDecision = fc.constantFrom(
    "after_decision",
    "after_acquirer",
    "after_outcome",
    "after_payments_told",
    "after_end",
  );
  return [
    fc.boolean().map((uncaptured) => new Pay(uncaptured)),
    index.map((at) => new Capture(at)),
    ask.map(([at, units, last]) => new Ask(at, units * 100 + last, undefined)),
    ask.map(([at, units, last]) => new Ask(at, units * 100 + last, undefined)),
    index.map((at) => new Decide(at, "approve", undefined)),
    index.map((at) => new Decide(at, "approve", undefined)),
    index.map((at) => new Decide(at, "reject", undefined)),
    fc.tuple(ask, crashOfRequest).map(([[at, units, last], point]) => new Ask(at, units * 100 + last, point)),
    fc
      .tuple(index, fc.constantFrom("approve" as const, "reject" as const), crashOfDecision)
      .map(([at, decision, point]) => new Decide(at, decision, point)),
  ];
}

const remaining = ({ amount, captured, reserved, refunded, released }: ModelPayment) =>
  (captured ?? amount - released) - reserved - refunded;

class Pay implements Step {
  readonly uncaptured: boolean;
  constructor(uncaptured: boolean) {
    this.uncaptured = uncaptured;
  }
  check = () => true;
  async run(model: Model): Promise<void> {
    const id = await guarded(() => real.pay("10000", this.uncaptured ? "authorization" : "sale"));
    const { uncaptured } = this;
    model.payments.push({
      id,
      amount: 10_000,
      uncaptured,
      captured: undefined,
      reserved: 0,
      refunded: 0,
      released: 0,
    });
  }
  toString = () => `pay(${this.uncaptured ? "authorization" : "sale"})`;
}

class Capture implements Step {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
  check = ({ payments }: Model) => payments.length > 0;
  async run({ payments }: Model): Promise<void> {
    const payment = payments[this.at % payments.length]!;
    const operation = { paymentId: payment.id, operationId: randomUUID() };
    const reply = await guarded(() => real.call(operations.capture.command, operation));
    const left = payment.amount - payment.released;
    const allowed =
      payment.uncaptured && payment.captured === undefined && payment.reserved === 0 && left > 0;
    expect(reply.outcome).toBe(allowed ? "done" : "problem");
    if (allowed) payment.captured = left;
  }
  toString = () => `capture(${this.at})`;
}

class Ask implements Step {
  readonly at: number;
  readonly amount: number;
  readonly crash: string | undefined;
  constructor(at: number, amount: number, crash: string | undefined) {
    this.at = at;
    this.amount = amount;
    this.crash = crash;
  }
  check = ({ payments }: Model) => payments.length > 0;
  async run(model: Model): Promise<void> {
    const payment = model.payments[this.at % model.payments.length]!;
    const fits = this.amount <= remaining(payment);
    const id = randomUUID();
    const state =
      this.crash === undefined ? await this.#ask(payment, id) : await this.#crash(payment, id, this.crash);
    const mayBeThere = fits && (this.crash === undefined || this.crash === "after_request");
    if (this.crash === undefined) expect(state).toBe(fits ? "PENDING_APPROVAL" : undefined);
    else if (!mayBeThere) expect(state).toBeUndefined();
    if (state === undefined) return;
    payment.reserved += this.amount;
    const release = payment.uncaptured && payment.captured === undefined;
    model.refunds.push({ id, payment, amount: this.amount, release, state: "PENDING_APPROVAL" });
  }
  async #ask(payment: ModelPayment, refundId: string): Promise<string | undefined> {
    const reply = await guarded(() => real.ask(payment.id, `${this.amount}`, { refundId }));
    if (reply.outcome === "problem") {
      expect(reply).toMatchObject({
        code: "refund_amount_exceeds_remaining",
        extra: { remainingRefundableAmount: remaining(payment) / 100 },
      });
      return undefined;
    }
    return "result" in reply ? reply.result.status : reply.outcome;
  }
  async #crash(payment: ModelPayment, refundId: string, point: string): Promise<string | undefined> {
    await crashing(`refunds.${point}` as Failpoint, () =>
      real.ask(payment.id, `${this.amount}`, { refundId }),
    );
    return await recovered(refundId, { died: true });
  }
  toString = () => `refund(${this.at}, ${this.amount}${this.crash ? `, dies ${this.crash}` : ""})`;
}

class Decide implements Step {
  readonly at: number;
  readonly decision: "approve" | "reject";
  readonly crash: string | undefined;
  constructor(at: number, decision: "approve" | "reject", crash: string | undefined) {
    this.at = at;
    this.decision = decision;
    this.crash = crash;
  }
  check = ({ refunds }: Model) => refunds.length > 0;
  async run({ refunds }: Model): Promise<void> {
    const refund = refunds[this.at % refunds.length]!;
    const wasOpen = refund.state === "PENDING_APPROVAL";
    const reply =
      this.crash === undefined
        ? await guarded(() => this.#send(refund.id))
        : await crashing(`refunds.${this.crash}` as Failpoint, () => this.#send(refund.id));
    if (reply !== undefined && wasOpen) expect(reply).toMatchObject({ outcome: "done" });
    else if (reply !== undefined)
      expect(reply).toEqual({ outcome: "problem", code: "refund_already_decided" });
    const state = await recovered(refund.id, { died: reply === undefined });
    if (wasOpen) end(refund, this.decision);
    expect(state).toBe(refund.state);
  }
  #send(refundId: string) {
    return this.decision === "approve" ? real.approve(refundId) : real.reject(refundId);
  }
  toString = () => `${this.decision}(${this.at}${this.crash ? `, dies ${this.crash}` : ""})`;
}

/** Ends a decided refund, the same however often a process dies over it. */
function end(refund: ModelRefund, decision: "approve" | "reject"): void {
  const { payment, amount, release } = refund;
  payment.reserved -= amount;
  if (decision === "reject") refund.state = "REJECTED";
  else if (amount % 100 === 91) refund.state = "FAILED";
  else {
    refund.state = "SUCCESS";
    if (release) payment.released += amount;
    else payment.refunded += amount;
  }
}

async function expectSame({ payments, refunds }: Model): Promise<void> {
  for (const { id, reserved, refunded, released } of payments) {
    expect(await real.amounts(id)).toEqual({ reserved, refunded, released });
  }
  for (const { id, state, amount } of refunds) {
    expect(await real.read(id)).toMatchObject({ result: { status: state, amount: amount / 100 } });
    expect(await real.events(id)).toEqual(state === "PENDING_APPROVAL" ? [] : [state]);
  }
}

/*
 * A failpoint is armed for the whole process, and histories run side by side. While one of them is about to
 * die, the others begin nothing, so that the right one dies.
 */
let underWay = 0;
let dying = false;

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  await eventually(() => !dying, { everyMs: 2 });
  underWay++;
  try {
    return await work();
  } finally {
    underWay--;
  }
}

/**
 * Waits for the outcome of recovery. This counts as work under way: otherwise a process that is about to die
 * would mistake recovery's arrival at the point for its own.
 */
async function recovered(refundId: string, { died }: { died: boolean }): Promise<string | undefined> {
  return await guarded(async () => {
    if (died) await real.abandon(refundId);
    return await real.settled(refundId);
  });
}

/**
 * Does something that is expected to die at a point, and waits until the process has died, or the work has
 * ended without reaching the point.
 *
 * @returns its result, or undefined if the process died
 */
async function crashing<T>(point: Failpoint, work: () => Promise<T>): Promise<T | undefined> {
  await eventually(() => !dying && (dying = true), { everyMs: 2 });
  try {
    await eventually(() => underWay === 0, { everyMs: 2 });
    // An end that a history has read may not have come back to the process that wrote it, which then passes the point.
    await real.query("select 1");
    const hits = armFailpoints(`${point}:hang@1`);
    let ended = false;
    const working = work().finally(() => (ended = true));
    working.catch(() => {});
    await eventually(() => ended || hits(point) > 0, { everyMs: 2 });
    return hits(point) > 0 ? undefined : await working;
  } finally {
    armFailpoints(undefined);
    dying = false;
  }
}
