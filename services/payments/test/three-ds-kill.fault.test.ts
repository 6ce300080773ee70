import { FAILPOINTS, type Failpoint } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "./payments-harness.ts";
import { CHALLENGED, FRICTIONLESS, threeDs, type ThreeDsSteps } from "./three-ds-harness.ts";

/**
 * Kills real processes by SIGKILL at each step of a payment with 3-D Secure, and lets another process take
 * over. Then it has two processes at which a session's end and its cardholder's return come at the same
 * moment. Afterwards the bank's ledger and the rows agree.
 */
let payments: PaymentsHarness;
let steps: ThreeDsSteps;
const hit = new Set<string>();

beforeAll(async () => {
  payments = await startPaymentsHarness(
    {
      // The first call of a cold process takes a while, and one that is late is declined for good.
      ACQUIRER_TIMEOUT: "2s",
      LEASE_DURATION: "6s",
      RECOVERY_SCHEDULE: "50ms,200ms,500ms,1s",
      RECOVERY_INTERVAL: "30ms",
      REVERSE_UNSEEN_AFTER: "2s",
      DRAIN_TIMEOUT: "100ms",
    },
    { alone: true },
  );
  steps = threeDs(payments);
});
afterEach(() => payments.stopSpawned());
afterAll(() => payments.close());

/** Sends the request that kills the process at the point; no other process of the service runs. */
async function killBy(point: Failpoint, send: () => Promise<unknown>): Promise<void> {
  const doomed = await payments.spawn("payments", { FAILPOINTS: `${point}:kill@1` });
  const answer = send();
  answer.catch(() => undefined);
  expect(await doomed.exited).toMatchObject({ signal: "SIGKILL" });
  expect(doomed.logTail()).toContain(`failpoint ${point}: kill`);
  hit.add(point);
}

const REVERSED = { state: "FAILED", ledger: ["reverse approved"], events: ["FAILED"] };

describe("killed", () => {
  test.each<[Failpoint, string]>([
    ["payments.after_enrolment_claim", CHALLENGED],
    ["payments.after_enrolment", CHALLENGED],
    ["payments.after_enrolment", FRICTIONLESS],
    ["payments.after_frictionless", FRICTIONLESS],
  ])("at %s (%s): nobody was shown a challenge, so it is reversed and FAILED", async (point, pan) => {
    const command = steps.command(pan);
    await killBy(point, () => steps.enrol(command));
    await payments.spawn("payments");
    expect(await steps.ended(command.paymentId)).toMatchObject(REVERSED);
    // A payment whose authorization was never sent has no unknown outcome, and nothing to wait for.
    const [decision] = (await steps.causes(command.paymentId)).slice(-2);
    expect(decision).toBe(point === "payments.after_frictionless" ? "not_found" : "enrolment_unfinished");
  });

  test("with the challenge recorded: a copy of the request hears of it, and it can be passed", async () => {
    const command = steps.command(CHALLENGED);
    await killBy("payments.after_challenge", () => steps.enrol(command));
    await payments.spawn("payments");
    const reply = await steps.enrol(command);
    const challenge = "result" in reply ? reply.result.challenge : undefined;
    expect(challenge).toBeDefined();
    await steps.answer(challenge!, "right");
    expect(await steps.complete(command)).toMatchObject({ result: { payment: { status: "SUCCESS" } } });
    expect(await steps.ended(command.paymentId)).toMatchObject({
      ledger: ["sale approved"],
      events: ["SUCCESS"],
    });
  });

  test("between challenge and authorization: nothing was asked of the bank, so it is reversed and FAILED", async () => {
    const starter = await payments.spawn("payments");
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await starter.stop({ withinMs: 5_000 });
    await killBy("payments.after_completion_claim", () => steps.complete(payment));
    await payments.spawn("payments");
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      ...REVERSED,
      history: ["ENROLLING", "ENROLLED", "AUTHORIZING", "REVERSING", "FAILED"],
    });
    expect(await steps.complete(payment)).toMatchObject({ result: { payment: { status: "FAILED" } } });
  });

  test("after the bank has authorized: the approval is adopted, and a replay of the return changes nothing", async () => {
    const starter = await payments.spawn("payments");
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await starter.stop({ withinMs: 5_000 });
    await killBy("payments.after_completion", () => steps.complete(payment));
    await payments.spawn("payments");
    await Promise.all([steps.complete(payment), steps.complete(payment)]);
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      state: "SUCCESS",
      ledger: ["sale approved"],
      events: ["SUCCESS"],
    });
    expect(await steps.complete(payment)).toMatchObject({ result: { payment: { status: "SUCCESS" } } });
  });

  test("after a return that proved nothing: nobody knows that nothing was sent, so it is reversed and FAILED", async () => {
    const modes = (change: object) =>
      fetch(`${payments.acquirer.url}/modes`, { method: "PUT", body: JSON.stringify(change) });
    const starter = await payments.spawn("payments");
    const payment = await steps.challenged();
    await modes({ returns: "proven" });
    await starter.stop({ withinMs: 5_000 });
    await killBy("payments.after_completion", () => steps.comeBack(payment, []));
    await modes({ returns: "bare" });
    await payments.spawn("payments");
    expect(await steps.ended(payment.paymentId)).toMatchObject(REVERSED);
  });

  test.each<[Failpoint]>([["payments.after_reversal_decision"], ["payments.after_reversal"]])(
    "at %s of an abandoned session: the decision stands, and it is CANCELLED once",
    async (point) => {
      const starter = await payments.spawn("payments");
      const payment = await steps.challenged();
      await steps.answer(payment.challenge, "right");
      await starter.stop({ withinMs: 5_000 });
      await steps.expire(payment.paymentId);
      await killBy(point, () => Promise.resolve());
      await payments.spawn("payments");
      await steps.complete(payment);
      expect(await steps.ended(payment.paymentId)).toMatchObject({
        state: "CANCELLED",
        history: ["ENROLLING", "ENROLLED", "CANCELLING", "CANCELLED"],
        ledger: ["reverse approved"],
        events: ["CANCELLED"],
      });
    },
  );

  test("at every point there is between claim and end", () => {
    const own = FAILPOINTS.filter((point) => /enrolment|challenge|frictionless|completion/.test(point));
    expect(own.filter((point) => !hit.has(point))).toEqual([]);
  });
});

test("a session's end and its cardholder's return at the same moment, twenty times over two processes: one of them wins", async () => {
  await Promise.all([payments.spawn("payments"), payments.spawn("payments")]);
  const enrolled = await Promise.all(Array.from({ length: 20 }, () => steps.challenged()));
  await Promise.all(enrolled.map(({ challenge }) => steps.answer(challenge, "right")));
  // The first payment belongs to recovery and the last to its cardholder. Between them recovery comes to one
  // payment after another while all returns are on their way, two for each payment. The sessions are open
  // throughout, so only the lease decides. No payment is older than it must be to be reversed: an attempt of
  // recovery waits as long as the payment's age before the next one.
  const recoverAt = (paymentId: string, inMs: number) =>
    payments.query(
      `update payments.payment set recover_at = now() + $2 * interval '1 ms', recovery_from = now() - interval '3 seconds'
       where payment_id = $1`,
      [paymentId, inMs],
    );
  const [first, ...others] = enrolled;
  await recoverAt(first!.paymentId, 0);
  await eventually(async () => (await steps.history(first!.paymentId)).includes("CANCELLING"));
  await Promise.all(
    others.map(({ paymentId }, index) => recoverAt(paymentId, index === 18 ? 3_600_000 : index * 15)),
  );
  await Promise.all([...enrolled, ...enrolled].map((payment) => steps.complete(payment)));
  // Nothing else ends the last one: a cardholder whose return a busy machine has not begun comes back again.
  const last = enrolled.at(-1)!;
  await eventually(async () => expect(await steps.complete(last)).toMatchObject({ outcome: "done" }));
  const states = new Map<string, number>();
  for (const payment of enrolled) {
    const { state, history, ledger, events } = await steps.ended(payment.paymentId);
    states.set(state, (states.get(state) ?? 0) + 1);
    expect(events).toEqual([state]);
    if (state === "SUCCESS") expect(ledger).toEqual(["sale approved"]);
    else {
      expect([state, history]).toEqual(["CANCELLED", ["ENROLLING", "ENROLLED", "CANCELLING", "CANCELLED"]]);
      expect(ledger).toEqual(["reverse approved"]);
    }
    const reply = await steps.complete(payment);
    expect(reply).toMatchObject({ outcome: "done", result: { payment: { status: state } } });
  }
  expect([...states.keys()].toSorted()).toEqual(["CANCELLED", "SUCCESS"]);
});
