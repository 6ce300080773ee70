import { createHash, randomUUID, randomUUIDv7 } from "node:crypto";
import {
  beginChargebackEvidence,
  operations,
  recordChargebackLines,
  type ChargebackLine,
} from "@holdfast/contracts";
import { createReplyRecipient, sealReply } from "@holdfast/sealing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/index.ts";
import { startBankFront, type BankFront } from "./bank-front.ts";
import { FAST, startBehindFront, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/** The bank's money is given to a buyer once, by a refund or by a chargeback, whichever comes first. */
let refunds: RefundsHarness;
let front: BankFront;
let close: () => Promise<void>;

/** The times are longer than a test may take, so no call times out. */
const PATIENT = { ACQUIRER_TIMEOUT: "5m", LEASE_DURATION: "20m" };

beforeAll(async () => {
  ({ refunds, front, close } = await startBehindFront({
    payments: { ...PATIENT, CHARGEBACK_TWO_PEOPLE_ABOVE: "TRY:60.00" },
    refunds: { ...FAST, ...PATIENT },
  }));
});
afterAll(() => close());

const open = (
  paymentId: string,
  amountMinor: string,
  more: { chargebackId?: string; currency?: string } = {},
) =>
  refunds.operate(operations.openChargeback.command, {
    chargebackId: randomUUIDv7(),
    paymentId,
    amountMinor,
    currency: "TRY",
    ...more,
  });
const opened = async (paymentId: string, amountMinor: string) => {
  const reply = await open(paymentId, amountMinor);
  if (reply.outcome !== "done") throw new Error(`not opened: ${JSON.stringify(reply)}`);
  return reply.result;
};
const decide = (chargebackId: string, outcome: "WON" | "LOST" | "WITHDRAWN", name = "olga") =>
  refunds.operate(
    operations.decideChargeback.command,
    { chargebackId, outcome, reason: "the bank wrote so" },
    name,
  );
const lineOf = (paymentId: string, change: Partial<ChargebackLine> = {}): ChargebackLine => ({
  lineId: createHash("sha256").update(randomUUID()).digest("hex"),
  kind: "CHARGEBACK",
  paymentId,
  amountMinor: "4000",
  currency: "TRY",
  ...change,
});
const tell = (...lines: ChargebackLine[]) => refunds.askAsGateway(recordChargebackLines, { lines });
const sendLines = async (...lines: ChargebackLine[]) =>
  expect(await tell(...lines)).toEqual({
    outcome: "done",
    result: { recorded: lines.map(({ lineId }) => lineId) },
  });
const cases = async (paymentId: string) => {
  const reply = await refunds.operate(operations.listChargebacks.command, { limit: 50, paymentId });
  if (reply.outcome !== "done") throw new Error("not listed");
  return reply.result.items;
};
const shown = async (paymentId: string) => {
  const reply = await refunds.call(operations.getPayment.command, { paymentId });
  if (reply.outcome !== "done") throw new Error("not read");
  const { chargedBackAmount, refundableAmount, refundedAmount, pendingRefundAmount } = reply.result;
  return { chargedBackAmount, refundableAmount, refundedAmount, pendingRefundAmount };
};
/** Waits until the refund has been tried a number of times more. */
const tried = async (refundId: string, times: number) => {
  const attempts = async () => {
    const rows = await refunds.query<{ recovery_attempts: number }>(
      "select recovery_attempts from refunds.refund where refund_id = $1",
      [refundId],
    );
    return rows[0]!.recovery_attempts;
  };
  const before = await attempts();
  await eventually(async () => (await attempts()) >= before + times);
};
/** The sum that the bank has paid back, in minor units. */
const paidBack = async (refundId: string) =>
  (await refunds.ledger(refundId)).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);

describe("of a chargeback and a refund the payment's row decides", () => {
  test("a refund that waits when the chargeback comes is approved in vain, and never sent", async () => {
    const paymentId = await refunds.pay("10000");
    const refundId = await refunds.queue(paymentId, "4000");
    const { chargebackId } = await opened(paymentId, "10000");
    expect(await shown(paymentId)).toEqual({
      chargedBackAmount: 100,
      refundableAmount: 0,
      refundedAmount: 0,
      pendingRefundAmount: 40,
    });
    expect((await refunds.ask(paymentId, "1")).outcome).toBe("problem");

    await refunds.approve(refundId);

    expect(await refunds.settled(refundId)).toBe("FAILED");
    expect(await refunds.ledger(refundId)).toEqual([]);
    expect(await refunds.read(refundId)).toMatchObject({
      result: { status: "FAILED", resultCode: "charged_back" },
    });
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
    expect(await refunds.operate(operations.getChargeback.command, { chargebackId })).toMatchObject({
      result: { countedAmount: 100, excessAmount: 0, status: "OPEN" },
    });
    expect(await refunds.broken()).toEqual([]);
  });

  test("a refund that is on its way to the bank is paid, and the case says what is paid twice", async () => {
    const paymentId = await refunds.pay("10000");
    const refundId = await refunds.queue(paymentId, "4000");
    front.freeze();
    onTestFinished(() => front.thaw());
    const approval = refunds.approve(refundId);
    await eventually(async () => {
      const sent = await refunds.query(
        "select from payments.bank_call where movement_id = $1 and outcome is null",
        [refundId],
      );
      expect(sent).toHaveLength(1);
    });

    const one = await opened(paymentId, "10000");

    expect(one).toMatchObject({ countedAmount: 100, excessAmount: 40 });
    front.thaw();
    await approval;
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await paidBack(refundId)).toBe(4000);
    expect((await refunds.ask(paymentId, "1")).outcome).toBe("problem");
    expect(await shown(paymentId)).toMatchObject({ refundableAmount: 0, refundedAmount: 40 });
    expect(await refunds.broken()).toEqual([]);
  });

  test("of those that come together, whatever the order, the buyer gets no more than the cases say", async () => {
    const rounds = Array.from({ length: 8 }, async () => {
      const paymentId = await refunds.pay("10000");
      const ids = [await refunds.queue(paymentId, "3000"), await refunds.queue(paymentId, "3000")];
      const chargebackId = randomUUIDv7();
      await Promise.all([
        ...ids.map((refundId) => refunds.approve(refundId)),
        // A busy service may begin nothing of it.
        eventually(async () => (await open(paymentId, "10000", { chargebackId })).outcome === "done"),
        ...ids.map((refundId) => refunds.approve(refundId, "omar")),
      ]);
      for (const refundId of ids) await refunds.settled(refundId);
      const paid = (await Promise.all(ids.map(paidBack))).reduce((sum, one) => sum + one, 0);
      const [one] = await cases(paymentId);
      return { paid, excess: one!.excessAmount * 100, twice: paid + one!.countedAmount * 100 - 10_000 };
    });
    for (const { paid, excess, twice } of await Promise.all(rounds)) {
      expect(twice).toBeLessThanOrEqual(excess);
      expect(paid).toBeLessThanOrEqual(6000);
    }
    expect(await refunds.broken()).toEqual([]);
  });

  test("a call that was certainly not sent pays nothing once the chargeback is there", async () => {
    const paymentId = await refunds.pay("10000");
    const refundId = await refunds.queue(paymentId, "4000");
    const { port } = new URL(front.url);
    await front.close();
    await refunds.approve(refundId);
    await eventually(async () =>
      expect(
        await refunds.query(
          `select from refunds.refund join payments.bank_call on movement_id = refund_id
           where refund_id = $1 and recovery_attempts > 0 group by refund_id
           having bool_and(outcome is not distinct from 'not_sent')`,
          [refundId],
        ),
      ).toHaveLength(1),
    );
    expect(await opened(paymentId, "10000")).toMatchObject({ excessAmount: 0 });
    front = await startBankFront(refunds.acquirer.url, Number(port));
    await eventually(async () => expect(await refunds.settled(refundId)).toBe("FAILED"));
    expect(await refunds.ledger(refundId)).toEqual([]);
  });

  test("a refund that the bank never got is not sent again, and the case says no more that it is paid twice", async () => {
    const paymentId = await refunds.pay("10000");
    const refundId = await refunds.queue(paymentId, "3000");
    onTestFinished(() => refunds.acquirerWillBehave());
    await refunds.acquirerWill("refund", "hang_before");
    await refunds.acquirerWill("inquire", "http_500", 10_000);
    await refunds.approve(refundId);
    const { chargebackId } = await opened(paymentId, "10000");
    const excess = async () => {
      const reply = await refunds.operate(operations.getChargeback.command, { chargebackId });
      return reply.outcome === "done" && reply.result.excessAmount;
    };
    expect(await excess()).toBe(30);

    // The refund may still arrive, and is not cancelled.
    await refunds.acquirerWillBehave();
    await tried(refundId, 3);
    expect(await refunds.describe(refundId)).toMatchObject({ result: { state: "EXECUTING" } });
    expect(await excess()).toBe(30);

    await refunds.query(
      "update payments.bank_call set sent_at = sent_at - interval '1 hour' where movement_id = $1",
      [refundId],
    );
    expect(await refunds.settled(refundId)).toBe("FAILED");
    expect(await refunds.read(refundId)).toMatchObject({ result: { resultCode: "charged_back" } });
    expect(await refunds.ledger(refundId)).toEqual([]);
    expect(await excess()).toBe(0);
    expect(await refunds.broken()).toEqual([]);
  });

  test("of a refund that the bank declines after all, the case says no more that it is paid twice", async () => {
    const paymentId = await refunds.pay("10000");
    const [paid, declined] = [await refunds.queue(paymentId, "1000"), await refunds.queue(paymentId, "4000")];
    await refunds.approve(paid);
    await refunds.settled(paid);
    front.freeze();
    onTestFinished(() => front.thaw());
    onTestFinished(() => refunds.acquirerWillBehave());
    await refunds.acquirerWill("refund", "decline");
    const approval = refunds.approve(declined);
    await eventually(() => front.waiting(declined) > 0);
    const { chargebackId } = await opened(paymentId, "10000");
    front.thaw();
    await approval;
    expect(await refunds.settled(declined)).toBe("FAILED");
    expect(await refunds.operate(operations.getChargeback.command, { chargebackId })).toMatchObject({
      result: { excessAmount: 10 },
    });
  });

  test("what still fits beside the chargeback is refunded", async () => {
    const paymentId = await refunds.pay("10000");
    await opened(paymentId, "4000");
    expect(await refunds.ask(paymentId, "6001")).toMatchObject({
      code: "refund_amount_exceeds_remaining",
      extra: { remainingRefundableAmount: 60 },
    });
    const refundId = await refunds.queue(paymentId, "6000");
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await shown(paymentId)).toMatchObject({ refundableAmount: 0, chargedBackAmount: 40 });
  });

  test("a sale that was charged back is not voided", async () => {
    const paymentId = await refunds.pay("10000");
    await opened(paymentId, "4000");
    expect(
      await refunds.call(operations.cancel.command, { paymentId, operationId: randomUUID() }),
    ).toMatchObject({
      outcome: "problem",
      code: "invalid_payment_state",
    });
  });

  test("people open none of more than was captured and earlier cases leave; what was refunded may be taken, too", async () => {
    const paymentId = await refunds.pay("10000");
    const refundId = await refunds.queue(paymentId, "7000");
    await refunds.approve(refundId);
    await refunds.settled(refundId);
    const refused = { outcome: "problem", code: "chargeback_amount_exceeds_captured" };
    expect(await open(paymentId, "10001")).toMatchObject({ ...refused, extra: { disputableAmount: 100 } });
    const { chargebackId, ...first } = await opened(paymentId, "6000");
    expect(first).toMatchObject({ countedAmount: 60, excessAmount: 30 });
    expect(await open(paymentId, "4001")).toMatchObject({ ...refused, extra: { disputableAmount: 40 } });
    expect(await cases(paymentId)).toHaveLength(1);
    // The bank may dispute again a sum that it has given back.
    await decide(chargebackId, "WON");
    expect(await opened(paymentId, "10000")).toMatchObject({ countedAmount: 100, excessAmount: 70 });
  });

  test("people open none of what was not captured, and of a part that was no more than the part", async () => {
    const paymentId = await refunds.pay("10000", "authorization");
    expect(await open(paymentId, "1")).toMatchObject({
      code: "payment_not_captured",
      extra: { currentStatus: "SUCCESS" },
    });
    const capture = { paymentId, operationId: randomUUID(), amount: "30.00", currency: "TRY" };
    expect(await refunds.call(operations.capture.command, capture)).toMatchObject({ outcome: "done" });
    expect(await open(paymentId, "3001")).toMatchObject({ extra: { disputableAmount: 30 } });
    expect(await opened(paymentId, "3000")).toMatchObject({ countedAmount: 30, excessAmount: 0 });

    const voided = await refunds.pay("10000");
    expect(
      await refunds.call(operations.cancel.command, { paymentId: voided, operationId: randomUUID() }),
    ).toMatchObject({ outcome: "done" });
    expect(await open(voided, "1")).toMatchObject({
      code: "payment_not_captured",
      extra: { currentStatus: "CANCELLED" },
    });
    // A line in the bank's file opens a case anyway: the bank has the money.
    await sendLines(lineOf(voided));
    expect(await cases(voided)).toMatchObject([{ amount: 40, excessAmount: 40, reported: true }]);
  });

  test("a line of more than what is left is a case that says so", async () => {
    const paymentId = await refunds.pay("10000");
    const refundId = await refunds.queue(paymentId, "7000");
    await refunds.approve(refundId);
    await refunds.settled(refundId);
    await sendLines(lineOf(paymentId, { amountMinor: "10000" }));
    expect(await cases(paymentId)).toMatchObject([
      { amount: 100, countedAmount: 100, excessAmount: 70, reported: true, status: "OPEN" },
    ]);
    expect(await shown(paymentId)).toMatchObject({ refundableAmount: 0, chargedBackAmount: 100 });
  });
});

describe("a line of a bank's file", () => {
  test("counts once, however often it is told", async () => {
    const paymentId = await refunds.pay("10000");
    const line = lineOf(paymentId);
    await Promise.all([sendLines(line), sendLines(line), sendLines(line, line)]);
    expect(await cases(paymentId)).toHaveLength(1);
    expect(await shown(paymentId)).toMatchObject({ chargedBackAmount: 40, refundableAmount: 60 });
  });

  test("joins the case that people have opened for it", async () => {
    const paymentId = await refunds.pay("10000");
    const { chargebackId } = await opened(paymentId, "4000");
    await sendLines(lineOf(paymentId));
    expect(await cases(paymentId)).toMatchObject([{ chargebackId, reported: true, openedBy: "olga" }]);
    // Operators cannot open a case that a line has opened.
    expect(await open(paymentId, "4000")).toMatchObject({ code: "chargeback_exists" });
  });

  test("gives back what an earlier one has taken, also where it comes before it", async () => {
    const paymentId = await refunds.pay("10000");
    await sendLines(lineOf(paymentId, { kind: "CHARGEBACK_REVERSAL", amountMinor: "1500" }));
    expect(await cases(paymentId)).toEqual([]);
    await sendLines(lineOf(paymentId));
    expect(await cases(paymentId)).toMatchObject([{ status: "OPEN", reversedAmount: 15, countedAmount: 25 }]);
    await sendLines(lineOf(paymentId, { kind: "CHARGEBACK_REVERSAL", amountMinor: "2500" }));
    expect(await cases(paymentId)).toMatchObject([{ status: "WON", reversedAmount: 40, countedAmount: 0 }]);
    const refundId = await refunds.queue(paymentId, "10000");
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
  });

  test("in another currency takes all of the payment, until people say what it is worth", async () => {
    const paymentId = await refunds.pay("10000");
    await sendLines(lineOf(paymentId, { currency: "USD", amountMinor: "300" }));
    expect(await cases(paymentId)).toMatchObject([{ amount: 3, currency: "USD", countedAmount: 100 }]);
    expect(await shown(paymentId)).toMatchObject({ refundableAmount: 0 });
  });

  test("of a payment that is not known is told again, and takes nothing with it", async () => {
    const paymentId = await refunds.pay("10000");
    const known = lineOf(paymentId);
    expect(await tell(lineOf(randomUUID()), known)).toEqual({
      outcome: "done",
      result: { recorded: [known.lineId] },
    });
  });
});

describe("a case", () => {
  test("of more than the policy's amount is ended by two people, who say the same", async () => {
    const paymentId = await refunds.pay("10000");
    const { chargebackId } = await opened(paymentId, "6001");
    expect(await decide(chargebackId, "WITHDRAWN")).toMatchObject({
      result: {
        status: "OPEN",
        countedAmount: 60.01,
        proposal: { outcome: "WITHDRAWN", proposedBy: "olga" },
      },
    });
    expect(await decide(chargebackId, "WITHDRAWN")).toMatchObject({ code: "same_person" });
    expect(await decide(chargebackId, "WON", "omar")).toMatchObject({
      result: { status: "OPEN", proposal: { outcome: "WON", proposedBy: "omar" } },
    });
    expect(await decide(chargebackId, "WON")).toMatchObject({
      result: { status: "WON", countedAmount: 0, decidedBy: "olga" },
    });
    expect(await decide(chargebackId, "LOST", "omar")).toMatchObject({ code: "chargeback_ended" });
    expect(await shown(paymentId)).toEqual({});
  });

  test("of less is ended by one; what is lost stays taken, until the bank gives it back after all", async () => {
    const paymentId = await refunds.pay("10000");
    const { chargebackId } = await opened(paymentId, "6000");
    expect(await decide(chargebackId, "LOST")).toMatchObject({
      result: { status: "LOST", countedAmount: 60, decidedBy: "olga" },
    });
    await sendLines(lineOf(paymentId, { kind: "CHARGEBACK_REVERSAL", amountMinor: "6000" }));
    expect(await cases(paymentId)).toMatchObject([{ status: "WON", countedAmount: 0, reversedAmount: 60 }]);
  });

  test("a copy of the request that opened it gets it again", async () => {
    const paymentId = await refunds.pay("10000");
    const chargebackId = randomUUIDv7();
    const first = await open(paymentId, "4000", { chargebackId });
    expect(await open(paymentId, "4000", { chargebackId })).toEqual(first);
    expect(await shown(paymentId)).toMatchObject({ chargedBackAmount: 40 });
  });

  test("has what the bank says about it, while it is open", async () => {
    const paymentId = await refunds.pay("10000");
    const { chargebackId } = await opened(paymentId, "4000");
    const said = { reasonCode: "10.4", bankReference: "cb-77", respondBy: "2026-12-01T00:00:00.000Z" };
    expect(
      await refunds.operate(operations.changeChargeback.command, { chargebackId, ...said }),
    ).toMatchObject({
      result: { ...said, amount: 40 },
    });
    await decide(chargebackId, "LOST");
    expect(
      await refunds.operate(operations.changeChargeback.command, { chargebackId, ...said }),
    ).toMatchObject({
      code: "chargeback_ended",
    });
  });

  test("is not opened for what no bank has, in another currency, or for nobody's payment", async () => {
    expect(await open(randomUUID(), "1")).toMatchObject({ code: "payment_not_found" });
    const paymentId = await refunds.pay("10000");
    expect(await open(paymentId, "1", { currency: "EUR" })).toMatchObject({ code: "currency_mismatch" });
  });
});

describe("evidence", () => {
  const content = Buffer.alloc(300_000, "letter ");
  const pieces = [content.subarray(0, 262_144), content.subarray(262_144)];
  const sha256 = createHash("sha256").update(content).digest("hex");
  const fileOf = (chargebackId: string) => ({
    chargebackId,
    evidenceId: randomUUIDv7(),
    fileName: "letter.pdf",
    bytes: content.length,
    sha256,
  });
  const send = async (file: ReturnType<typeof fileOf>, part: number, name?: string) => {
    const begun = await refunds.operate(beginChargebackEvidence, { chargebackId: file.chargebackId });
    const sealTo = "result" in begun ? begun.result.sealTo : "";
    const content = sealReply(sealTo, pieces[part]!);
    return await refunds.operate(operations.addChargebackEvidence.command, { ...file, part, content }, name);
  };
  const newCase = async () => (await opened(await refunds.pay("10000"), "4000")).chargebackId;

  test("is there once all of it is, whatever is sent again, and is read as it was sent", async () => {
    const file = fileOf(await newCase());
    expect(await send(file, 0)).toMatchObject({ result: { evidence: [] } });
    expect(await send(file, 0)).toMatchObject({ result: { evidence: [] } });
    const whole = { evidenceId: file.evidenceId, bytes: 300_000, sha256, addedBy: "olga" };
    expect(await send(file, 1)).toMatchObject({ result: { evidence: [whole] } });
    expect(await send(file, 1)).toMatchObject({ result: { evidence: [whole] } });
    const { chargebackId, evidenceId } = file;
    const recipient = createReplyRecipient();
    const asked = { chargebackId, evidenceId, recipientKey: recipient.publicKey };
    const read = await Promise.all(
      [0, 1].map((part) => refunds.operate(operations.getChargebackEvidence.command, { ...asked, part })),
    );
    const bytes = read.flatMap((reply) =>
      "result" in reply ? [recipient.openBytes(reply.result.content)] : [],
    );
    expect(Buffer.concat(bytes).equals(content)).toBe(true);
    const stored = await refunds.query<{ key_id: string; content: Buffer }>(
      "select key_id, content from payments.chargeback_evidence_part where evidence_id = $1",
      [evidenceId],
    );
    expect(stored.map(({ key_id }) => key_id)).toEqual(["f1", "f1"]);
    expect(stored.filter((part) => part.content.includes("letter"))).toEqual([]);
    const downloads = await refunds.query<{ actor: string; detail: string }>(
      "select actor, detail from payments.audit_entry where action = 'chargeback.evidence_downloaded' and subject = $1",
      [chargebackId],
    );
    expect(downloads.map(({ actor, detail }) => [actor, JSON.parse(detail)])).toEqual([
      ["olga", { requestId: expect.any(String) as string, evidenceId }],
    ]);
  });

  test("that is not what was announced is not kept", async () => {
    const file = { ...fileOf(await newCase()), sha256: "0".repeat(64) };
    await send(file, 0);
    expect(await send(file, 1)).toMatchObject({ code: "validation_failed" });
    expect(
      await refunds.query("select from payments.chargeback_evidence where evidence_id = $1", [
        file.evidenceId,
      ]),
    ).toEqual([]);
  });

  test("of somebody else, or of an ended case, takes no part", async () => {
    const file = fileOf(await newCase());
    await send(file, 0);
    expect(await send(file, 1, "omar")).toMatchObject({ code: "idempotency_key_reused" });
    await decide(file.chargebackId, "LOST");
    expect(await send(file, 1)).toMatchObject({ code: "chargeback_ended" });
  });

  test("is 20 files at most; one that was cut off makes room after an hour", async () => {
    const chargebackId = await newCase();
    const files = Array.from({ length: 21 }, () => fileOf(chargebackId));
    for (const file of files.slice(0, 20)) await send(file, 0);
    expect(await send(files[20]!, 0)).toMatchObject({ code: "too_much_evidence" });
    await refunds.query(
      "update payments.chargeback_evidence set created_at = now() - interval '2 hours' where evidence_id = $1",
      [files[0]!.evidenceId],
    );
    expect(await send(files[20]!, 0)).toMatchObject({ outcome: "done" });
  });
});

test("a case is told to the merchant's endpoints, with its payment, when it is opened and when it ends", async () => {
  const telling = await startRefundsHarness({ running: ["payments"] });
  onTestFinished(() => telling.close());
  const paymentId = await telling.pay("10000");
  const chargebackId = randomUUIDv7();
  const one = { chargebackId, paymentId, amountMinor: "4000", currency: "TRY" };
  expect(await telling.operate(operations.openChargeback.command, one)).toMatchObject({ outcome: "done" });
  const ended = { chargebackId, outcome: "WITHDRAWN", reason: "a mistake" } as const;
  expect(await telling.operate(operations.decideChargeback.command, ended)).toMatchObject({
    outcome: "done",
  });
  const rows = await telling.query<{ body: Buffer; status: string }>(
    "select body, status from payments.outbox where payment_id = $1 and event_type = 'payment.chargeback' order by event_id",
    [paymentId],
  );
  expect(rows.map(({ status }) => status)).toEqual(["SUCCESS", "SUCCESS"]);
  expect(rows.map(({ body }) => JSON.parse(body.toString()) as unknown)).toMatchObject([
    {
      paymentId,
      chargedBackAmount: 40,
      refundableAmount: 60,
      chargeback: { chargebackId, status: "OPEN", amount: 40, currency: "TRY" },
    },
    { paymentId, chargeback: { chargebackId, status: "WITHDRAWN" } },
  ]);
});
