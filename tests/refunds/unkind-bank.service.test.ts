import { operations } from "@holdfast/contracts";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startBankFront, type BankFront } from "./bank-front.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

const JSON_TYPE = { "content-type": "application/json" };

let refunds: RefundsHarness;

beforeAll(async () => {
  refunds = await startRefundsHarness({ env: FAST });
});
afterEach(() => refunds.acquirerWillBehave());
afterAll(async () => {
  expect(await refunds.broken()).toEqual([]);
  await refunds.close();
});

const byReference = async (refundId: string) =>
  (await refunds.wholeLedger())
    .filter(({ reference }) => reference.startsWith(refundId))
    .map(({ reference, operation, outcome }) => `${reference.slice(36)} ${operation} ${outcome}`);

describe("a bank that calls a request too late has not judged it: the refund", () => {
  test.each([
    ["sale", "refund"],
    ["authorization", "release"],
  ] as const)("of a %s is sent again under the next reference, and paid once", async (how, operation) => {
    const paymentId = await refunds.pay("10000", how);
    const refundId = await refunds.queue(paymentId, "1000");
    await refunds.acquirerWill(operation, "expire");
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await byReference(refundId)).toEqual([
      `:refund ${operation} declined`,
      `:refund:2 ${operation} approved`,
    ]);
    expect(await refunds.events(refundId)).toEqual(["SUCCESS"]);
    expect(await refunds.describe(refundId)).toMatchObject({
      result: { bank: { reference: `${refundId}:refund:2`, resultCode: "00" } },
    });
  });

  test("takes as many references as the bank calls too late", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "1000");
    await refunds.acquirerWill("refund", "expire", 3);
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect((await byReference(refundId)).at(-1)).toBe(":refund:4 refund approved");
    expect(await byReference(refundId)).toHaveLength(4);
  });

  test("keeps its reference where the bank has paid and only says so of a repetition", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "1000");
    await refunds.acquirerWill("refund", "hang");
    // A repetition without an inquiry before it would get the answer that it came too late.
    await refunds.acquirerWill("refund", "expire", 100);
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await byReference(refundId)).toEqual([":refund refund approved"]);
  });
});

describe("a bank that is frozen", () => {
  let alone: RefundsHarness;
  let front: BankFront;
  beforeAll(async () => {
    alone = await startRefundsHarness({ running: [] });
    front = await startBankFront(alone.acquirer.url);
    await alone.moveAccount(front.url);
    await alone.startPayments();
  });
  afterAll(async () => {
    await front.close();
    await alone.close();
  });

  test("for longer than a call may take, and then reads what is in its sockets: the refund is paid", async () => {
    const service = await alone.startRefunds({ ...FAST, ACQUIRER_TIMEOUT: "1s", LEASE_DURATION: "3s" });
    const refundId = await alone.queue(await alone.pay(), "1000");
    front.freeze();
    expect(await alone.approve(refundId)).toMatchObject({ result: { state: "EXECUTING" } });
    front.thaw();
    expect(await alone.settled(refundId)).toBe("SUCCESS");
    expect(await alone.ledger(refundId)).toEqual(["refund approved 1000"]);
    await service.stop();
  });

  test("beyond the operator's deadline: the answer comes in time, and the call goes on under its lease", async () => {
    // Recovery never comes: only the approval's own call can end the refund.
    const service = await alone.startRefunds({ LEASE_DURATION: "1h" });
    const refundId = await alone.queue(await alone.pay(), "1000");
    const agreed = await alone.agree(refundId);
    front.freeze();
    const context = await alone.operatorContext();
    const answer = alone.request(
      operations.approveRefund.command,
      { ...context, requestId: refundId, deadlineAt: Date.now() + 700 },
      { refundId, ...agreed },
    );
    await eventually(() => front.waiting() > 0);
    expect(await answer).toMatchObject({
      outcome: "done",
      result: { status: "PENDING_APPROVAL", state: "EXECUTING", attempts: 0 },
    });
    front.thaw();
    expect(await alone.settled(refundId)).toBe("SUCCESS");
    const causes = await alone.query("select cause from refunds.refund_history where refund_id = $1", [
      refundId,
    ]);
    expect(causes).toContainEqual({ cause: "approved" });
    expect(await alone.ledger(refundId)).toEqual(["refund approved 1000"]);
    await service.stop();
  });
});

test("a bank that never answers about one refund delays no other", async () => {
  const alone = await startRefundsHarness({
    env: { ...FAST, RECOVERY_SCHEDULE: "20ms" },
    refunds: { RECOVERY_IN_FLIGHT_MAX: "2" },
    bank: { hangMs: 3_600_000 },
    running: ["payments"],
  });
  const service = await alone.startRefunds({ LEASE_DURATION: "1h" });
  const paymentId = await alone.pay("1000000");
  const hanging = await alone.queue(paymentId, "1000");
  await alone.acquirerWill("inquire", "hang");
  await alone.acquirerWill("refund", "http_500");
  await alone.approve(hanging);
  const inquired = () =>
    alone.query("select from refunds.refund where refund_id = $1 and lease_token is not null", [hanging]);
  await eventually(async () => expect(await inquired()).toHaveLength(1));
  for (let count = 0; count < 5; count++) {
    const refundId = await alone.queue(paymentId, "1095");
    await alone.approve(refundId);
    expect(await alone.settled(refundId)).toBe("SUCCESS");
  }
  expect(await alone.describe(hanging)).toMatchObject({ result: { state: "EXECUTING" } });
  // The bank drops its connections, so there is no need to wait for them.
  void alone.acquirer.close();
  await service.stop();
  await alone.close();
});

test("a bank that takes equal refunds for copies: the second waits for the first one's outcome, and both are paid", async () => {
  const modes = (change: object) =>
    fetch(`${refunds.acquirer.url}/modes`, {
      method: "PUT",
      headers: JSON_TYPE,
      body: JSON.stringify(change),
    });
  onTestFinished(async () => void (await modes({ duplicateWindowSeconds: 0 })));
  const paymentId = await refunds.pay();
  const [lost, copy, other] = [
    await refunds.queue(paymentId, "100"),
    await refunds.queue(paymentId, "100"),
    await refunds.queue(paymentId, "200"),
  ];
  await modes({ duplicateWindowSeconds: 3_600 });
  await refunds.acquirerWill("inquire", "http_500", 10_000);
  await refunds.acquirerWill("refund", "hang");
  await refunds.approve(lost);
  await eventually(async () => expect(await refunds.ledger(lost)).toEqual(["refund approved 100"]));
  expect(await refunds.approve(copy)).toMatchObject({
    result: { state: "EXECUTING", lastInquiry: "refund_pending" },
  });
  expect(await refunds.approve(other)).toMatchObject({ result: { status: "SUCCESS" } });
  await refunds.acquirerWillBehave();
  expect(await refunds.settled(lost)).toBe("SUCCESS");
  // The bank answers it with the first refund's approval, under a name that is known to belong to the first
  // one.
  await eventually(async () =>
    expect(await refunds.describe(copy)).toMatchObject({ result: { lastInquiry: "mismatch" } }),
  );
  await modes({ duplicateWindowSeconds: 0 });
  expect(await refunds.settled(copy)).toBe("SUCCESS");
  expect(await refunds.ledger(copy)).toEqual(["refund approved 100"]);
});

test("an attempt that throws is counted, seen by operators, and comes less often; nothing is lost by it", async () => {
  const refundId = await refunds.queue(await refunds.pay(), "1000");
  await refunds.query(`
    create function refunds.refuse() returns trigger language plpgsql as $$
    begin raise exception 'a defect' using errcode = 'check_violation'; end $$`);
  await refunds.query(`
    create trigger refuse before update on refunds.refund for each row
    when (new.state = 'SETTLING' and new.refund_id = '${refundId}') execute function refunds.refuse()`);
  expect(await refunds.approve(refundId)).toMatchObject({
    outcome: "done",
    result: { state: "EXECUTING", attempts: 1, lastInquiry: "attempt_failed" },
  });
  const described = await eventually(async () => {
    const reply = await refunds.describe(refundId);
    return "result" in reply && reply.result.attempts >= 3 && reply.result;
  });
  expect(described).toMatchObject({ lastInquiry: "attempt_failed", nextAttemptAt: expect.any(String) });
  await refunds.query("drop trigger refuse on refunds.refund");
  await refunds.abandon(refundId);
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
});

test("texts that a bank pads with control characters keep no refund from its end", async () => {
  const refundId = await refunds.queue(await refunds.pay(), "1000");
  await refunds.acquirerWill("refund", "control_characters");
  expect(await refunds.approve(refundId)).toMatchObject({ result: { status: "SUCCESS", resultCode: "00" } });
});
