import { randomUUID } from "node:crypto";
import {
  agreeToRefund,
  carryOutRefundAtBank,
  operations,
  readAuditLog,
  reserveRefund,
} from "@holdfast/contracts";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, personAs } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/**
 * `payments` pays a refund only if it has verified the people itself, whatever the credentials of `refunds`
 * say.
 */
let refunds: RefundsHarness;

beforeAll(async () => {
  refunds = await startRefundsHarness({
    env: FAST,
    payments: { REFUND_TWO_APPROVERS_ABOVE: "TRY:1000.00" },
  });
});
afterAll(() => refunds.close());

/** A statement under the database role of `refunds`. */
const asRefundsRole = async (sql: string, values: unknown[]) =>
  await withClient(refunds.database.urls.refunds.app, async (client) => await client.query(sql, values));

/** The commands that the bus user `refunds` may send. */
async function reserve(amountMinor = "1000", askedBy: string[] = []) {
  const part = {
    refundId: randomUUID(),
    paymentId: await refunds.pay("200000"),
    amountMinor,
    currency: "TRY",
  };
  const reply = await refunds.call(reserveRefund, { ...part, askedBy });
  expect(reply).toMatchObject({ outcome: "done", result: { kind: "refund" } });
  return part;
}
const carryOut = (part: Awaited<ReturnType<typeof reserve>>, resumed = false) => {
  const context = { requestId: randomUUID(), deadlineAt: Date.now() + 60_000, service: { name: "refunds" } };
  return refunds.request(carryOutRefundAtBank, context, { ...part, kind: "refund", resumed });
};
const agree = (refundId: string, person: string) => refunds.operate(agreeToRefund, { refundId }, person);

async function audited(refundId: string): Promise<string[]> {
  const log = await refunds.operate(readAuditLog.payments, { limit: 100, subject: refundId });
  if (log.outcome !== "done") throw new Error(log.outcome);
  return log.result.entries.toReversed().map(({ actor, action }) => `${actor} ${action}`);
}

const WAITING_FOR_A_LOCK =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

const NOT_AGREED = { outcome: "problem", code: "refund_not_agreed" };

describe("the database role of refunds alone", () => {
  test("carries out no refund: not without approvals, nor with approvals in others' names", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "4000");
    const become = (state: string, due = "now()") =>
      `update refund set state = '${state}', recover_at = ${due} where refund_id = $1`;
    for (const end of [become("EXECUTING"), become("SETTLING"), become("SUCCESS", "null")])
      await expect(asRefundsRole(end, [refundId])).rejects.toThrow("not enough people");
    await asRefundsRole(
      "insert into refund_approval (refund_id, approved_by, request_id) values ($1, 'alice', 'forged')",
      [refundId],
    );
    await asRefundsRole(become("EXECUTING"), [refundId]);
    await eventually(async () =>
      expect(await refunds.describe(refundId)).toMatchObject({
        result: { state: "EXECUTING", lastInquiry: "refund_not_agreed" },
      }),
    );
    expect(await refunds.ledger(refundId)).toEqual([]);
    expect(await audited(refundId)).toEqual(["refunds refund.sending_refused"]);
    // The refund continues as soon as a person agrees, although `refunds` has decided.
    expect(await refunds.approve(refundId, "bora")).toMatchObject({ code: "refund_already_decided" });
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
  });

  test("begins a refund in its first state alone", async () => {
    const into =
      "insert into refund (refund_id, payment_id, merchant_id, version, amount_minor, currency, currency_exponent";
    const values = "values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0, 100, 'TRY', 2";
    await expect(
      asRefundsRole(`${into}, state, recover_at) ${values}, 'EXECUTING', now())`, []),
    ).rejects.toMatchObject({ code: "42501" });
    const { rows } = await asRefundsRole(`${into}, recover_at) ${values}, now()) returning state`, []);
    expect(rows).toEqual([{ state: "RESERVING" }]);
  });

  test("nor by who asked for it as staff", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "4000");
    await refunds.query("update refunds.refund set requested_by = $2 where refund_id = $1", [
      refundId,
      personAs("alice", "staff"),
    ]);
    await asRefundsRole(
      "insert into refund_approval (refund_id, approved_by, request_id) values ($1, $2, 'forged')",
      [refundId, personAs("alice")],
    );
    await expect(
      asRefundsRole("update refund set state = 'EXECUTING', recover_at = now() where refund_id = $1", [
        refundId,
      ]),
    ).rejects.toThrow("not enough people");
  });

  test.each(["requested_by", "credential_issued_by", "amount_minor", "currency", "payment_id"])(
    "does not change who has asked for what: %s",
    async (column) => {
      const refundId = await refunds.queue(await refunds.pay(), "4000");
      const change = `update refund set ${column} = ${column} where refund_id = $1`;
      await expect(asRefundsRole(change, [refundId])).rejects.toMatchObject({ code: "42501" });
    },
  );
});

describe("the bus user of refunds alone", () => {
  test("has nothing paid, however it asks, and the log of payments says so once", async () => {
    const part = await reserve();
    for (const resumed of [false, true, true]) expect(await carryOut(part, resumed)).toEqual(NOT_AGREED);
    expect(await refunds.ledger(part.refundId)).toEqual([]);
    expect(await audited(part.refundId)).toEqual(["refunds refund.sending_refused"]);
  });

  test("cannot use the consent to one refund for another", async () => {
    const paid = await reserve();
    await agree(paid.refundId, "alice");
    expect(await carryOut(paid)).toMatchObject({ result: { answer: { kind: "approved" } } });
    expect(await audited(paid.refundId)).toEqual(["alice refund.agreed", "refunds refund.sent_to_bank"]);
    const other = { ...paid, refundId: randomUUID() };
    await refunds.call(reserveRefund, { ...other, askedBy: [] });
    expect(await carryOut(other)).toEqual(NOT_AGREED);
    // Another amount of the same refund is refused, too: the reservation under its id stays.
    expect(await carryOut({ ...paid, amountMinor: "1001" })).toMatchObject({ code: "refund_not_found" });
  });
});

describe("people agree", () => {
  test("as many as it takes, different ones, and none who has asked or issued the credential", async () => {
    const part = await reserve("100001", [personAs("alice"), personAs("bora", "staff")]);
    for (const person of ["alice", "bora", "cem", "cem"])
      expect(await agree(part.refundId, person)).toMatchObject({ result: { approvalsRequired: 2 } });
    expect(await carryOut(part)).toEqual(NOT_AGREED);
    await agree(part.refundId, "deniz");
    expect(await carryOut(part)).toMatchObject({ result: { answer: { kind: "approved" } } });
    expect(await audited(part.refundId)).toEqual([
      "cem refund.agreed",
      "refunds refund.sending_refused",
      "deniz refund.agreed",
      "refunds refund.sent_to_bank",
    ]);
  });

  test("none who asked as staff, in the database's own view", async () => {
    const { refundId } = await reserve("1000", [personAs("alice", "staff"), personAs("x")]);
    const agree = "update payments.refund_reservation set agreed_by = $2 where refund_id = $1";
    for (const people of [[personAs("alice")], [personAs("bora"), personAs("x")]])
      await expect(refunds.query(agree, [refundId, people])).rejects.toMatchObject({ code: "23514" });
    await refunds.query(agree, [refundId, [personAs("bora")]]);
  });

  test("and who asked for it is told to payments by refunds before anybody is asked", async () => {
    const [paymentId, refundId] = [await refunds.pay(), randomUUID()];
    const asked = {
      refundId,
      paymentId,
      merchantId: refunds.merchantId,
      amountMinor: "100",
      currency: "TRY",
    };
    await refunds.operate(
      operations.requestRefundForMerchant.command,
      { ...asked, reason: "a typing error" },
      "alice",
    );
    await agree(refundId, "alice");
    expect(
      await refunds.query(
        "select asked_by, agreed_by, agreed_at from payments.refund_reservation where refund_id = $1",
        [refundId],
      ),
    ).toEqual([{ asked_by: [personAs("alice")], agreed_by: [], agreed_at: null }]);
  });

  test("and take it back, as long as nothing was sent by it", async () => {
    const part = await reserve();
    const withdraw = (person: string) =>
      refunds.operate(agreeToRefund, { refundId: part.refundId, withdrawn: true }, person);
    await agree(part.refundId, "alice");
    await withdraw("bora");
    await withdraw("alice");
    await withdraw("alice");
    expect(await carryOut(part)).toEqual(NOT_AGREED);
    await agree(part.refundId, "alice");
    expect(await carryOut(part)).toMatchObject({ result: { answer: { kind: "approved" } } });
    await withdraw("alice");
    expect(await audited(part.refundId)).toEqual([
      "alice refund.agreed",
      "alice refund.agreement_withdrawn",
      "refunds refund.sending_refused",
      "alice refund.agreed",
      "refunds refund.sent_to_bank",
    ]);
  });

  test("and what others have agreed to stands where one of more than enough takes it back", async () => {
    const part = await reserve();
    for (const person of ["alice", "bora"]) await agree(part.refundId, person);
    await refunds.operate(agreeToRefund, { refundId: part.refundId, withdrawn: true }, "bora");
    expect(await carryOut(part)).toMatchObject({ result: { answer: { kind: "approved" } } });
  });

  test("and nothing is sent by what is being taken back", async () => {
    const part = await reserve();
    await agree(part.refundId, "alice");
    const carriedOut = await withClient(refunds.database.urls.payments.app, async (client) => {
      await client.query("begin");
      await client.query(
        "update refund_reservation set agreed_by = '{}', agreed_at = null where refund_id = $1",
        [part.refundId],
      );
      let isOver = false;
      const reply = carryOut(part).finally(() => (isOver = true));
      const waiting = async () => (await refunds.query(WAITING_FOR_A_LOCK)).length > 0;
      await eventually(async () => expect(isOver || (await waiting())).toBe(true));
      await client.query("commit");
      return await reply;
    });
    expect(carriedOut).toEqual(NOT_AGREED);
    expect(await refunds.ledger(part.refundId)).toEqual([]);
  });

  test("to the amount that they have seen", async () => {
    const { refundId } = await reserve("1000");
    for (const seen of [
      { amountMinor: "1001", currency: "TRY" },
      { amountMinor: "1000", currency: "EUR" },
    ])
      expect(await refunds.operate(agreeToRefund, { refundId, seen }, "alice")).toMatchObject({
        code: "refund_differs",
      });
    expect(await audited(refundId)).toEqual(Array(2).fill("alice refund.agreement_refused"));
    const seen = { amountMinor: "1000", currency: "TRY" };
    expect(await refunds.operate(agreeToRefund, { refundId, seen }, "alice")).toMatchObject({
      outcome: "done",
    });
    expect(await audited(refundId)).toContain("alice refund.agreed");
  });

  test("to nothing of which the amount is not reserved any more: it waits on, and can be rejected", async () => {
    const gone = await refunds.queue(await refunds.pay("200000"), "150000");
    const released = await refunds.queue(await refunds.pay("200000"), "150000");
    await refunds.query("delete from payments.refund_reservation where refund_id = $1", [gone]);
    await refunds.query("update payments.refund_reservation set state = 'RELEASED' where refund_id = $1", [
      released,
    ]);
    expect(await refunds.approve(gone, "alice")).toMatchObject({ code: "refund_not_found" });
    expect(await refunds.approve(released, "alice")).toMatchObject({ code: "refund_already_decided" });
    for (const refundId of [gone, released])
      expect(await refunds.describe(refundId)).toMatchObject({ result: { state: "PENDING_APPROVAL" } });
  });

  test("and a decision stands, whatever is asked for of the payment afterwards", async () => {
    const part = await reserve("90000");
    await agree(part.refundId, "alice");
    await refunds.call(reserveRefund, { ...part, refundId: randomUUID(), askedBy: [] });
    expect(await carryOut(part)).toMatchObject({ result: { answer: { kind: "approved" } } });
  });
});
