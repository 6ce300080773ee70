import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { evenSchedule, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

const FAST = {
  // The time that a call with a late answer takes, and that a call with an answer may take.
  ACQUIRER_TIMEOUT: "4s",
  RECOVERY_SCHEDULE: evenSchedule(100, 150),
  RECOVERY_INTERVAL: "30ms",
  REVERSE_UNSEEN_AFTER: "3s",
};
/**
 * Settings for tests in which the bank knows the payment, or recovery has to leave it alone, however slow the
 * machine is.
 */
const PATIENT = { ...FAST, ACQUIRER_TIMEOUT: "60s", REVERSE_UNSEEN_AFTER: "5m" };

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness(FAST);
});
afterAll(() => payments.close());

/** Pays and waits until recovery has settled the payment. */
async function payAndSettle(pan: string, harness = payments) {
  const command = harness.command({ cardData: { pan } });
  expect(await harness.send(command)).toMatchObject({ outcome: "pending", result: { status: "ENROLLED" } });
  const settled = await eventually(async () => {
    const [row] = await harness.query<{ state: string; result_code: string; auth_code: string | null }>(
      "select state, result_code, auth_code from payments.payment where payment_id = $1 and recover_at is null",
      [command.paymentId],
    );
    return row ?? false;
  });
  return {
    ...settled,
    ledger: await callsOf(command.paymentId, harness),
    events: await events(command.paymentId, harness),
  };
}

const callsOf = async (paymentId: string, harness = payments) =>
  (await harness.ledger(paymentId)).map(({ operation, outcome }) => `${operation} ${outcome}`);

const events = async (paymentId: string, harness = payments) =>
  (
    await harness.query<{ status: string }>("select status from payments.outbox where payment_id = $1", [
      paymentId,
    ])
  ).map(({ status }) => status);

describe("an authorization the acquirer approved without our hearing of it", () => {
  test.each([
    ["never answered", "4000000000000119"],
    ["answered late", "4000000000000101"],
    ["answered HTTP 500", "4000000000000341"],
    ["answered garbage", "4000000000000036"],
    ["reset the connection", "4000000000000051"],
  ])("%s: is found by inquiry and adopted, once, with one event", async (_case, pan) => {
    expect(await payAndSettle(pan)).toEqual({
      state: "SUCCESS",
      result_code: "00",
      auth_code: expect.any(String),
      ledger: ["authorize approved"],
      events: ["SUCCESS"],
    });
  });
});

test("an answer about another amount is reversed, never adopted", async () => {
  expect(await payAndSettle("4000000000000044")).toEqual({
    state: "FAILED",
    result_code: "reversed",
    auth_code: null,
    ledger: ["authorize approved", "reverse approved"],
    events: ["FAILED"],
  });
});

test("a request the acquirer never saw is reversed, which binds it, and only then FAILED", async () => {
  expect(await payAndSettle("4000000000000127")).toEqual({
    state: "FAILED",
    result_code: "reversed",
    auth_code: null,
    ledger: ["reverse approved"],
    events: ["FAILED"],
  });
});

test("a request that takes effect late is either adopted or refused by the tombstone", async () => {
  const { state, ledger } = await payAndSettle("4000000000000259");
  if (state === "SUCCESS") expect(ledger).toEqual(["authorize approved"]);
  else expect(ledger[0]).toBe("reverse approved");
});

test("an approval found too late is reversed", async () => {
  const strict = await startPaymentsHarness({ ...FAST, ADOPT_WITHIN: "1ms" });
  expect(await payAndSettle("4000000000000119", strict)).toMatchObject({
    state: "FAILED",
    ledger: ["authorize approved", "reverse approved"],
    events: ["FAILED"],
  });
  await strict.close();
});

test("a reversal that is refused, and one that gets no answer, is repeated until it is acknowledged", async () => {
  await payments.acquirerWill("reverse", "refuse", 2);
  await payments.acquirerWill("reverse", "http_500");
  const { state, ledger } = await payAndSettle("4000000000000127");
  expect(state).toBe("FAILED");
  expect(ledger.at(-1)).toBe("reverse approved");
});

test("with the acquirer down a new payment is FAILED at once: nothing was sent, nothing has to be reversed", async () => {
  const alone = await startPaymentsHarness(FAST);
  await alone.acquirer.close();
  const command = alone.command();
  expect(await alone.send(command)).toMatchObject({
    outcome: "done",
    result: { status: "FAILED", resultCode: "acquirer_unavailable" },
  });
  expect(await events(command.paymentId, alone)).toEqual(["FAILED"]);
  await alone.close();
});

test("several workers settle each payment once", async () => {
  const crowded = await startPaymentsHarness(PATIENT);
  await Promise.all([crowded.startAnother(), crowded.startAnother()]);
  const commands = Array.from({ length: 30 }, () =>
    crowded.command({ cardData: { pan: "4000000000000119" } }),
  );
  await Promise.all(commands.map((command) => crowded.send(command)));
  await eventually(async () => {
    const [open] = await crowded.query<{ count: number }>(
      "select count(*)::int from payments.payment where recover_at is not null",
    );
    return open?.count === 0;
  });
  for (const { paymentId } of commands) {
    expect(await events(paymentId, crowded)).toEqual(["SUCCESS"]);
    expect(await callsOf(paymentId, crowded)).toEqual(["authorize approved"]);
  }
  await crowded.close();
});

test("a part that the bank approved is reversed in that amount", async () => {
  await payments.acquirerWill("authorize", "partial");
  expect(await payAndSettle("4111111111111111")).toMatchObject({
    state: "FAILED",
    ledger: ["authorize approved", "reverse approved"],
    events: ["FAILED"],
  });
});

test("texts that a bank pads with control characters are recorded clean, in answers and in inquiries", async () => {
  const padded = payments.command();
  await payments.acquirerWill("authorize", "control_characters");
  const answer = await payments.send(padded);
  expect(answer).toMatchObject({ outcome: "done", result: { status: "SUCCESS", resultCode: "00" } });
  expect(JSON.stringify(answer)).not.toMatch(/\\u00|\\n/);
  await payments.acquirerWill("inquire", "control_characters");
  expect(await payAndSettle("4000000000000119")).toMatchObject({ state: "SUCCESS", result_code: "00" });
});

test("an inquiry that hangs holds back no other payment", async () => {
  const few = await startPaymentsHarness(
    { ...PATIENT, LEASE_DURATION: "10m", RECOVERY_IN_FLIGHT_MAX: "2", DRAIN_TIMEOUT: "100ms" },
    { hangMs: 600_000 },
  );
  await few.acquirerWill("inquire", "hang");
  const commands = Array.from({ length: 20 }, () => few.command({ cardData: { pan: "4000000000000341" } }));
  await Promise.all(commands.map((command) => few.send(command)));
  const open = () =>
    few.query<{ attempts: number; leased: boolean }>(
      `select recovery_attempts as attempts, lease_until > now() as leased from payments.payment
       where recover_at is not null`,
    );
  await eventually(async () => (await open()).length === 1);
  expect(await open()).toEqual([{ attempts: 1, leased: true }]);
  // The bank ends the call that no caller waits for.
  await few.acquirer.close();
  await few.close();
});

test("an attempt that throws is counted, shown to operators, tried again later, and not for ever", async () => {
  await payments.query(`
    create function payments.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'this answer cannot be stored'; end $$;
    create trigger refuse before update on payments.payment for each row
      when (new.state = 'SUCCESS') execute function payments.refuse();`);
  const command = payments.command({ cardData: { pan: "4000000000000341" } });
  expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
  const shown = async () => {
    const page = await payments.operate(operations.listPaymentsOfMerchants.command, {
      limit: 10,
      filter: {},
      unresolved: true,
    });
    if (page.outcome !== "done") throw new Error(page.outcome);
    return page.result.items.find(({ id }) => id === command.paymentId)?.item;
  };
  await eventually(async () => ((await shown())?.attempts ?? 0) >= 3);
  expect(await shown()).toMatchObject({ unresolved: true, lastInquiry: "attempt_failed" });
  await payments.query("drop trigger refuse on payments.payment; drop function payments.refuse()");
  await eventually(async () => (await events(command.paymentId)).length === 1);
  expect(await events(command.paymentId)).toEqual(["SUCCESS"]);
});

describe("with no worker", () => {
  let idle: PaymentsHarness;
  beforeAll(async () => {
    idle = await startPaymentsHarness({ ...PATIENT, RECOVERY_INTERVAL: "1h" });
  });
  afterAll(() => idle.close());

  test.each(["the payment", "a capture of it"])(
    "a reading that the bank does not answer does not put the worker off: %s",
    async (of) => {
      const isCapture = of !== "the payment";
      const command = idle.command({ ...(!isCapture && { cardData: { pan: "4000000000000127" } }) });
      await idle.send(command);
      const { paymentId } = command;
      if (isCapture) {
        await idle.acquirerWill("capture", "hang_before");
        const captured = await idle.call(operations.capture.command, {
          paymentId,
          operationId: randomUUID(),
        });
        expect(captured).toMatchObject({ outcome: "pending" });
        await idle.query(
          "update payments.payment_operation set created_at = now() - interval '10 minutes' where payment_id = $1",
          [paymentId],
        );
      }
      await idle.query(
        `update payments.payment set created_at = now() - interval '10 minutes', recover_at = now(),
           updated_at = now() - interval '1 minute' where payment_id = $1`,
        [paymentId],
      );
      await idle.acquirerWill("inquire", "http_500");
      await idle.read(paymentId);
      const rows = await idle.query(
        `select recovery_attempts, recover_at <= now() as is_due, lease_token from payments.payment
         where payment_id = $1`,
        [paymentId],
      );
      expect(rows).toEqual([{ recovery_attempts: 2, is_due: true, lease_token: null }]);
    },
  );

  test("a reading whose attempt throws shows the payment as it stands, and counts the attempt", async () => {
    await idle.query(`
      create function payments.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'this answer cannot be stored'; end $$;
      create trigger refuse before update on payments.payment for each row
        when (new.state = 'SUCCESS') execute function payments.refuse();`);
    const { paymentId, ...command } = idle.command({ cardData: { pan: "4000000000000341" } });
    await idle.send({ ...command, paymentId });
    await idle.query(
      "update payments.payment set updated_at = now() - interval '1 minute' where payment_id = $1",
      [paymentId],
    );
    expect(await idle.read(paymentId)).toMatchObject({ outcome: "done", result: { status: "ENROLLED" } });
    const rows = await idle.query(
      `select recovery_attempts, last_inquiry, lease_token from payments.payment where payment_id = $1`,
      [paymentId],
    );
    expect(rows).toEqual([{ recovery_attempts: 2, last_inquiry: "attempt_failed", lease_token: null }]);
    await idle.query("drop trigger refuse on payments.payment; drop function payments.refuse()");
  });

  test("reading a payment nobody works on asks the acquirer, and not again right away", async () => {
    const command = idle.command({ cardData: { pan: "4000000000000127" } });
    await idle.send(command);
    const attempts = async () =>
      (
        await idle.query<{ recovery_attempts: number }>(
          "select recovery_attempts from payments.payment where payment_id = $1",
          [command.paymentId],
        )
      )[0]!.recovery_attempts;
    const isFresh = async () =>
      (
        await idle.query<{ fresh: boolean }>(
          "select updated_at > now() - interval '1 hour' as fresh from payments.payment where payment_id = $1",
          [command.paymentId],
        )
      )[0]!.fresh;
    const moveLastWrite = (by: string) =>
      idle.query("update payments.payment set updated_at = updated_at + $2::interval where payment_id = $1", [
        command.paymentId,
        by,
      ]);
    expect(await attempts()).toBe(1);
    await moveLastWrite("-3 hours");
    expect(await idle.read(command.paymentId)).toMatchObject({
      outcome: "done",
      result: { status: "ENROLLED" },
    });
    // The inquiry counts as a write. It stays recent however slow the machine is, so the next read does not ask.
    expect([await attempts(), await isFresh()]).toEqual([2, true]);
    await moveLastWrite("1 hour");
    await idle.read(command.paymentId);
    expect(await attempts()).toBe(2);
  });

  test("reading never sends: neither a capture that the bank has not seen, nor a reversal", async () => {
    const age = (paymentId: string) =>
      idle.query(
        `update payments.payment set updated_at = now() - interval '3 seconds',
           created_at = created_at - interval '1 day' where payment_id = $1`,
        [paymentId],
      );
    const lastInquiry = async (paymentId: string) =>
      (
        await idle.query<{ last_inquiry: string }>(
          "select last_inquiry from payments.payment where payment_id = $1",
          [paymentId],
        )
      )[0]?.last_inquiry;
    const paid = idle.command({ amountMinor: "10000" });
    await idle.send(paid);
    const capture = { paymentId: paid.paymentId, operationId: randomUUID(), amount: "10.93" };
    expect(await idle.call(operations.capture.command, capture)).toMatchObject({ outcome: "pending" });
    await age(paid.paymentId);
    expect(await idle.read(paid.paymentId)).toMatchObject({
      result: { status: "SUCCESS", lastOperation: { status: "PENDING" } },
    });
    expect(await lastInquiry(paid.paymentId)).toBe("not_found");
    expect(await callsOf(paid.paymentId, idle)).toEqual(["authorize approved"]);

    const unseen = idle.command({ cardData: { pan: "4000000000000127" } });
    await idle.send(unseen);
    await age(unseen.paymentId);
    expect(await idle.read(unseen.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
    expect(await lastInquiry(unseen.paymentId)).toBe("not_found");
    expect(await callsOf(unseen.paymentId, idle)).toEqual([]);
  });

  test("reading does not disturb a payment somebody works on", async () => {
    const command = idle.command({ cardData: { pan: "4000000000000119" } });
    await idle.send(command);
    await idle.query(
      `update payments.payment set updated_at = now() - interval '3 seconds',
         lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour' where payment_id = $1`,
      [command.paymentId],
    );
    expect(await idle.read(command.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
  });

  test("a process that lost its lease changes nothing and answers what the other one did", async () => {
    // The bank is silent for long enough that another process can take the payment over meanwhile.
    const slow = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" }, { hangMs: 5_000 });
    const command = slow.command({ cardData: { pan: "4111111111111111" } });
    await slow.acquirerWill("authorize", "hang");
    const sent = slow.send(command);
    await eventually(async () => (await callsOf(command.paymentId, slow)).length === 1);
    await slow.query(
      "update payments.payment set state = 'REVERSING', lease_token = gen_random_uuid() where payment_id = $1",
      [command.paymentId],
    );
    expect(await sent).toMatchObject({ outcome: "pending" });
    expect(
      await slow.query(
        "select state, version, lease_token is null as given_back from payments.payment where payment_id = $1",
        [command.paymentId],
      ),
    ).toEqual([{ state: "REVERSING", version: 1, given_back: false }]);
    await slow.close();
  });
});
