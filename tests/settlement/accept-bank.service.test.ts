import { randomUUID } from "node:crypto";
import { operations, type Difference, type ReadByPerson, type Statement } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** A line of the bank's that does not agree counts in a statement when people accept it, and before that nothing is complete. */

const commission = { ratePercent: "2", fixed: "0", currency: "TRY" };
let system: SettlementHarness;
beforeAll(async () => {
  system = await startSettlementHarness({
    commission,
    envOf: { settlement: { MATCH_INTERVAL: "50ms", DIFFERENCE_TWO_PEOPLE_ABOVE: "TRY:100.00" } },
  });
  await system.query("update settlement.account set settlement_days = 400");
});
afterAll(() => system.close());

type Merchant = { merchantId: string; commission: typeof commission };
const newMerchant = (): Merchant => ({ merchantId: randomUUID(), commission });

async function sell(merchant: Merchant, amountMinor: string): Promise<string> {
  const sale = system.command({ amountMinor, ofMerchant: merchant.merchantId });
  expect(await system.call(operations.pay.command, sale, { merchant })).toMatchObject({ outcome: "done" });
  return sale.paymentId;
}

type Change = { kind?: string; day?: string; currency?: string; bank?: string };

function line(reference: string, gross: bigint, change: Change = {}): string {
  const { kind = "SALE", day = "2026-03-11", currency = "TRY", bank = `b-${reference}-${kind}` } = change;
  const cells = { kind, reference, bank_reference: bank, currency, settles_on: day };
  return genericLine({ ...cells, gross: decimalText(gross), net: decimalText(gross) });
}

async function take(...lines: string[]): Promise<void> {
  expect(await system.bankFiles.take(...lines)).toMatchObject({ code: 0 });
  await compared();
}

async function compared(): Promise<void> {
  await eventually(async () => {
    const waiting = `select from settlement.import where matched_at is null
      union all select from settlement.fact where judge or kind <> 'REFUND' and commission_minor is null
      union all select from settlement.statement_change where look_at <= now() + interval '1 minute'`;
    expect(await system.query(waiting)).toEqual([]);
  });
}

async function statement(merchant: Merchant, day = "2026-03-11"): Promise<Statement | undefined> {
  const reply = await system.call(
    operations.listStatements.command,
    { from: day, to: day, limit: 50 },
    { merchant },
  );
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result.items[0];
}

async function open(kind: Difference["class"], payment?: string): Promise<Difference[]> {
  const query = { limit: 200, state: "OPEN", class: kind } as const;
  const reply = await system.operate(operations.listDifferences.command, query);
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result.items.filter(({ paymentId }) => payment === undefined || paymentId === payment);
}

async function close(
  differenceId: string,
  decision: "ACCEPT_BANK" | "NOT_OURS",
  { by = "olga", line: read }: { by?: string; line?: ReadByPerson } = {},
) {
  const request = { differenceId, decision, reason: "asked the bank", ...(read && { line: read }) };
  const reply = await system.operate(operations.closeDifference.command, request, by);
  await compared();
  return "result" in reply ? reply.result : reply;
}

const ofMerchant = (differences: Difference[], { merchantId }: Merchant) =>
  differences.filter((each) => each.merchantId === merchantId);

test("another amount counts in no statement until people accept the bank's: then with its part of the commission", async () => {
  const merchant = newMerchant();
  const [whole, part] = [await sell(merchant, "5000"), await sell(merchant, "10000")];
  await take(line(whole, 5_000n), line(part, 9_500n));
  expect(await statement(merchant)).toMatchObject({ salesAmount: 50, complete: false });

  const [difference] = await open("AMOUNT_DIFFERS", part);
  const closed = await close(difference!.differenceId, "ACCEPT_BANK");
  expect(closed).toMatchObject({
    state: "CLOSED",
    decision: "ACCEPT_BANK",
    acceptedAmount: 95,
    acceptedCurrency: "TRY",
    closedBy: "olga",
    reason: "asked the bank",
    merchantId: merchant.merchantId,
  });
  expect(await statement(merchant)).toMatchObject({
    salesAmount: 50,
    adjustmentsAmount: 95,
    commission: 2.9,
    netPayableAmount: 142.1,
    lines: 2,
    complete: true,
    revision: 1,
  });

  // The bank sends the rest: all of it agrees, so nothing is an adjustment any longer.
  await take(line(part, 500n, { bank: `rest-${part}` }));
  expect(await statement(merchant)).toMatchObject({
    salesAmount: 150,
    adjustmentsAmount: 0,
    commission: 3,
    netPayableAmount: 147,
  });
});

test("what is not ours counts nowhere, and a further line asks people again", async () => {
  const merchant = newMerchant();
  const paymentId = await sell(merchant, "10000");
  await take(line(paymentId, 9_000n));
  const [difference] = await open("AMOUNT_DIFFERS", paymentId);
  expect(await close(difference!.differenceId, "NOT_OURS")).toMatchObject({ decision: "NOT_OURS" });
  expect(await statement(merchant)).toBeUndefined();

  // The bank's sum is as far off as before, by other lines.
  await take(line(paymentId, 500n, { bank: "more" }), line(paymentId, -500n, { bank: "less" }));
  const [again] = await open("AMOUNT_DIFFERS", paymentId);
  await close(again!.differenceId, "ACCEPT_BANK");
  expect(await statement(merchant)).toMatchObject({
    adjustmentsAmount: 90,
    commission: 1.8,
    lines: 3,
    complete: true,
  });
});

test("a word is about all lines of a movement: a further one opens also the day whose line was accepted", async () => {
  const merchant = newMerchant();
  const paymentId = await sell(merchant, "10000");
  await take(line(paymentId, 9_000n));
  const [difference] = await open("AMOUNT_DIFFERS", paymentId);
  await close(difference!.differenceId, "ACCEPT_BANK");
  expect(await statement(merchant)).toMatchObject({ adjustmentsAmount: 90, complete: true });

  await take(line(paymentId, 500n, { bank: "more", day: "2026-03-12" }));
  expect((await statement(merchant))?.complete).not.toBe(true);
  const [again] = await open("AMOUNT_DIFFERS", paymentId);
  await close(again!.differenceId, "ACCEPT_BANK");
  expect(await statement(merchant)).toMatchObject({ adjustmentsAmount: 90, complete: true });
  expect(await statement(merchant, "2026-03-12")).toMatchObject({ adjustmentsAmount: 5, complete: true });
});

test("a line that names a payment and reports nothing of ours is its merchant's, and keeps the day incomplete", async () => {
  const merchant = newMerchant();
  const paymentId = await sell(merchant, "10000");
  await take(
    line(paymentId, 10_000n),
    line(paymentId, -8_000n, { kind: "REFUND" }),
    line(paymentId, -150n, { kind: "ADJUSTMENT" }),
  );
  expect(await statement(merchant)).toMatchObject({
    salesAmount: 100,
    adjustmentsAmount: 0,
    complete: false,
  });
  const found = ofMerchant(await open("MISSING_HERE"), merchant);
  expect(found.map(({ amount, ours, theirs, day }) => [amount, ours, theirs, day])).toEqual([
    [80, undefined, { amount: -80, currency: "TRY" }, "2026-03-11"],
    [1.5, undefined, { amount: -1.5, currency: "TRY" }, "2026-03-11"],
  ]);
  for (const { differenceId } of found) await close(differenceId, "ACCEPT_BANK");
  expect(await statement(merchant)).toMatchObject({
    salesAmount: 100,
    adjustmentsAmount: -81.5,
    commission: 2,
    netPayableAmount: 16.5,
    complete: true,
  });
});

test("money that the bank moved although it failed here counts once it is accepted, and without commission", async () => {
  const merchant = newMerchant();
  const paymentId = await sell(merchant, "1000");
  await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
  await system.query("update settlement.fact set standing = 'NOT_DONE', version = 1000 where fact_id = $1", [
    paymentId,
  ]);
  await take(line(paymentId, 1_000n));
  expect(await statement(merchant)).toBeUndefined();
  const [difference] = await open("STATUS_DIFFERS", paymentId);
  await close(difference!.differenceId, "ACCEPT_BANK");
  expect(await statement(merchant)).toMatchObject({
    salesAmount: 0,
    adjustmentsAmount: 10,
    commission: 0,
    netPayableAmount: 10,
    complete: true,
  });
});

test("a line that cannot be read keeps the day of every merchant of its account incomplete until a person has read it", async () => {
  const [merchant, other, stranger] = [newMerchant(), newMerchant(), newMerchant()];
  const [own, others] = [await sell(merchant, "10000"), await sell(other, "10000")];
  await take(
    line(own, 10_000n, { day: "2026-03-16" }),
    line(others, 10_000n, { day: "2026-03-16" }),
    line(randomUUID(), -6_000n, { day: "2026-03-16", kind: "KOMISYON_IADE" }),
    genericLine({ reference: own, gross: "7 kr", settles_on: "2026-03-16" }),
    "broken",
  );
  expect(await statement(merchant, "2026-03-16")).toMatchObject({ complete: false });
  expect(await statement(other, "2026-03-16")).toMatchObject({ complete: false });

  const [unknown, named, broken] = await open("UNREADABLE");
  expect(unknown).toMatchObject({
    amount: 60,
    currency: "TRY",
    theirs: { amount: -60, currency: "TRY" },
    day: "2026-03-16",
    detail: "not readable: kind: not in the mapping",
  });
  expect(named).toMatchObject({ merchantId: merchant.merchantId, currency: "TRY", day: "2026-03-16" });
  expect(named).not.toHaveProperty("amount");
  // Nothing of the line is known, so it may belong to any day of its file.
  expect(broken).toMatchObject({ detail: "not readable: 1 cell, not 12", day: "2026-03-16" });
  expect(broken).not.toHaveProperty("currency");

  // The amount is known and the merchant is not.
  expect(await close(unknown!.differenceId, "ACCEPT_BANK")).toMatchObject({
    code: "validation_failed",
    extra: { errors: [{ field: "line.merchantId", code: "required" }] },
  });
  const wrong = { merchantId: stranger.merchantId };
  expect(await close(unknown!.differenceId, "ACCEPT_BANK", { line: wrong })).toMatchObject({
    extra: { errors: [{ field: "line.merchantId", code: "invalid_value" }] },
  });
  const twice = { merchantId: merchant.merchantId, amount: "-1.00" };
  expect(await close(unknown!.differenceId, "ACCEPT_BANK", { line: twice })).toMatchObject({
    extra: { errors: [{ field: "line.amount", code: "invalid_value" }] },
  });
  const whose = { merchantId: merchant.merchantId };
  expect(await close(unknown!.differenceId, "ACCEPT_BANK", { line: whose })).toMatchObject({
    state: "CLOSED",
    acceptedAmount: -60,
  });
  // Nobody knows the amount, so two people have to decide.
  expect(await close(broken!.differenceId, "NOT_OURS")).toMatchObject({ state: "PROPOSED" });
  expect(await close(broken!.differenceId, "NOT_OURS", { by: "bora" })).toMatchObject({ state: "CLOSED" });

  expect(await statement(other, "2026-03-16")).toMatchObject({ salesAmount: 100, complete: true });
  expect(await statement(merchant, "2026-03-16")).toMatchObject({ adjustmentsAmount: -60, complete: false });
  await close(named!.differenceId, "ACCEPT_BANK", { line: { amount: "0.07" } });
  expect(await statement(merchant, "2026-03-16")).toMatchObject({
    salesAmount: 100,
    adjustmentsAmount: -59.93,
    netPayableAmount: 38.07,
    lines: 3,
    complete: true,
  });
  expect(await system.bankFiles.run("check", "--from", "2026-03-16", "--to", "2026-03-16")).toEqual({
    code: 0,
    output: "1 days and currencies were added up, 0 of them have open lines\n",
  });
});

test("above the configured amount two people say the same, and another word takes the place of the first one's", async () => {
  const merchant = newMerchant();
  const paymentId = await sell(merchant, "10000");
  await take(line(paymentId, 10_000n), line(paymentId, -20_000n, { kind: "REFUND", day: "2026-03-17" }));
  const [difference] = ofMerchant(await open("MISSING_HERE"), merchant);
  const { differenceId } = difference!;
  const decided = async (decision: "ACCEPT_BANK" | "NOT_OURS", by: string) =>
    await close(differenceId, decision, { by });
  expect(await decided("NOT_OURS", "olga")).toMatchObject({ state: "PROPOSED", proposedBy: "olga" });
  expect(await decided("NOT_OURS", "olga")).toMatchObject({ code: "same_person" });
  expect(await decided("ACCEPT_BANK", "bora")).toMatchObject({
    state: "PROPOSED",
    proposedBy: "bora",
    decision: "ACCEPT_BANK",
    acceptedAmount: -200,
  });
  expect(await decided("NOT_OURS", "bora")).toMatchObject({ state: "PROPOSED", proposedBy: "bora" });
  expect(await decided("ACCEPT_BANK", "bora")).toMatchObject({ state: "PROPOSED" });
  expect(await statement(merchant, "2026-03-17")).toBeUndefined();
  expect(await decided("ACCEPT_BANK", "ece")).toMatchObject({ state: "CLOSED", closedBy: "ece" });
  expect(await statement(merchant, "2026-03-17")).toMatchObject({ adjustmentsAmount: -200, complete: true });
});

test.each(["FEE_DIFFERS", "LATE", "MISSING_AT_BANK"] as const)(
  "a difference that is about nothing of somebody else's is never closed as not ours: %s",
  async (kind) => {
    const merchant = newMerchant();
    const paymentId = await sell(merchant, "1000");
    await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
    await system.query(
      `insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail)
       values ('${TEST_ACCOUNT_ID}', $1, $2, 1000, 'TRY', 'a test')`,
      [kind, paymentId],
    );
    const [difference] = await open(kind, paymentId);
    expect(await close(difference!.differenceId, "NOT_OURS")).toMatchObject({
      extra: { errors: [{ field: "decision", code: "invalid_value" }] },
    });
    expect(await close(difference!.differenceId, "ACCEPT_BANK")).toMatchObject({ state: "CLOSED" });
  },
);
