import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inquireAbout, type Approved, type CardRequest, type ProbedAcquirer } from "@holdfast/acquirer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { playBank, type PlayedBank } from "./played-banks.ts";
import { CallBuilder } from "./suite/call-builder.ts";

/** A bank of whose records nobody knows how they show voids, captures and amounts. */
let dir: string;
let bank: PlayedBank;
let acquirer: ProbedAcquirer;
const calls = new CallBuilder({ pan: "4111111111111111", expiryMonth: "12", expiryYear: "35", cvv: "123" });
const AMOUNT = 123_456n;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-conformance-"));
  bank = await playBank("posnet", dir);
  acquirer = bank.connect();
});
afterAll(async () => {
  await acquirer.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

const pay = async (operation: "sale" | "authorize") => {
  const request = calls.card({ currency: "TRY", amountMinor: AMOUNT, installmentCount: 3 });
  return { request, outcome: await acquirer[operation](request) };
};
async function approved(operation: "sale" | "authorize") {
  const { request, outcome } = await pay(operation);
  if (outcome.kind !== "approved") throw new Error(`${outcome.kind} ${JSON.stringify(outcome, String)}`);
  return { request, outcome };
}
const about = (request: CardRequest, { externalTransactionId }: Approved, capturedMinor?: bigint) => ({
  target: {
    amountMinor: request.amountMinor,
    installmentCount: request.installmentCount,
    externalTransactionId,
    at: new Date(),
    ...(capturedMinor !== undefined && { capturedMinor }),
  },
});
const verdictOf = async (request: CardRequest, kind: "sale" | "authorize") => {
  const { reference, orderId, amountMinor, currency } = request;
  const order = { orderId, operation: kind };
  return (await inquireAbout(acquirer, order, { reference, kind, amountMinor, currency }, calls.soon()))
    .verdict;
};

const USUAL = {
  encoding: "utf-8",
  paddedValues: false,
  comments: false,
  hostLogKeyCase: false,
  successText: "",
  refusalsNameAnother: false,
  captureName: "own",
  reverseName: "own",
  leadingZeros: "kept",
  amounts: "comma",
  rows: "list",
  newestFirst: false,
  voidsShown: "both",
  capturedHoldCounts: true,
  voidLiftsHold: false,
  listsDeclines: true,
};

describe.each<object>([
  {},
  { encoding: "iso-8859-9" },
  { encoding: "utf-16" },
  { paddedValues: true, comments: true, hostLogKeyCase: true, successText: "(TR:=Basarili.)" },
  { captureName: "hold" },
  { reverseName: "target" },
  { captureName: "hold", reverseName: "target", newestFirst: true },
  { leadingZeros: "unfound" },
  { amounts: "grouped" },
  { rows: "flat" },
  { rows: "split" },
  { voidsShown: "row" },
  { voidsShown: "status" },
  { voidsShown: "status", captureName: "hold", listsDeclines: false },
  { capturedHoldCounts: false },
  { capturedHoldCounts: false, voidsShown: "status", captureName: "hold" },
])("a bank with %o", (modes) => {
  beforeAll(() => bank.mode({ ...USUAL, ...modes }));

  test("takes a sale, and cancels it", async () => {
    const { request, outcome } = await approved("sale");
    expect(await verdictOf(request, "sale")).toMatchObject({ kind: "approved", amountMinor: AMOUNT });
    const cancel = calls.followUp(request, about(request, outcome));
    expect(await acquirer.cancel(cancel)).toMatchObject({ kind: "approved" });
    expect(await verdictOf(request, "sale")).toEqual({ kind: "reversed" });
    expect(await bank.ledger(request.reference)).toEqual([
      `sale approved ${AMOUNT}`,
      `void approved ${AMOUNT}`,
    ]);
  });

  test("captures a part, cancels it with its hold, and repeats that without an effect", async () => {
    const { request, outcome } = await approved("authorize");
    const part = calls.followUp(request, { ...about(request, outcome), amountMinor: 60_000n });
    expect(await acquirer.capture(part)).toMatchObject({ kind: "approved", amountMinor: 60_000n });
    expect(await verdictOf(request, "authorize")).toMatchObject({ kind: "approved", amountMinor: AMOUNT });
    const cancel = calls.followUp(request, { ...about(request, outcome, 60_000n), amountMinor: 60_000n });
    expect(await acquirer.cancel(cancel)).toMatchObject({ kind: "approved" });
    const ended = await bank.ledger(request.reference);
    expect(ended.slice(0, 3)).toEqual([
      `authorize approved ${AMOUNT}`,
      "capture approved 60000",
      "void approved 60000",
    ]);
    expect(await verdictOf(request, "authorize")).toEqual({ kind: "reversed" });
    await acquirer.cancel({ ...cancel, isRepeated: true });
    expect(await bank.ledger(request.reference)).toEqual(ended);
  });

  test("pays a part back, and voids nothing beside it", async () => {
    const { request, outcome } = await approved("sale");
    const refund = calls.followUp(request, { ...about(request, outcome), amountMinor: 40_000n });
    expect(await acquirer.refund(refund)).toMatchObject({ kind: "approved", amountMinor: 40_000n });
    expect((await acquirer.cancel(calls.followUp(request, about(request, outcome)))).kind).toBe("unknown");
    expect(await bank.ledger(request.reference)).toEqual([
      `sale approved ${AMOUNT}`,
      "refund approved 40000",
    ]);
  });

  test("declines, and an inquiry says no more than that", async () => {
    const card = { pan: "4000000000000002", expiryMonth: "12", expiryYear: "35", cvv: "123" };
    const request = calls.card({ currency: "TRY", card });
    expect(await acquirer.sale(request)).toMatchObject({ kind: "declined" });
    expect((await verdictOf(request, "sale")).kind).toBeOneOf(["declined", "not_found"]);
  });
});

describe("what cannot be told apart", () => {
  beforeAll(() => bank.mode(USUAL));

  test.each(["point", "minor"])("an amount with a %s is none", async (amounts) => {
    await bank.mode({ ...USUAL, amounts });
    const { outcome } = await pay("sale");
    expect(outcome).toMatchObject({ kind: "unknown", heard: { kind: "approved" } });
  });

  test.each(["answered", "refused", "exists"])(
    "a second call of an order that is %s is unknown",
    async (repeats) => {
      await bank.mode({ ...USUAL, repeats });
      const { request } = await approved("sale");
      expect(await acquirer.sale({ ...request, expiresAt: calls.soon() })).toMatchObject({ kind: "unknown" });
      expect(await bank.ledger(request.reference)).toContain(`sale approved ${AMOUNT}`);
    },
  );

  test.each(["0211", "0122", "0123", "0217"])(
    "a void after the day that is refused with %s is settled",
    async (closedCode) => {
      await bank.mode({ ...USUAL, repeats: "answered", closedCode });
      const { request } = await approved("sale");
      await bank.closeDay();
      const reversal = calls.reversal(request);
      const first = await acquirer.reverse(reversal);
      expect(first.kind).toBe(closedCode === "0211" ? "settled" : "unknown");
      expect(await acquirer.reverse({ ...reversal, isRepeated: true })).toMatchObject({ kind: "settled" });
    },
  );

  test("a hold that does not count again after the void of its capture is voided, too", async () => {
    await bank.mode({ ...USUAL, capturedHoldCounts: false });
    const { request, outcome } = await approved("authorize");
    const part = calls.followUp(request, { ...about(request, outcome), amountMinor: 60_000n });
    expect(await acquirer.capture(part)).toMatchObject({ kind: "approved" });
    const cancel = calls.followUp(request, { ...about(request, outcome, 60_000n), amountMinor: 60_000n });
    expect(await acquirer.cancel(cancel)).toMatchObject({ kind: "approved" });
    expect(await bank.ledger(request.reference)).toEqual([
      `authorize approved ${AMOUNT}`,
      "capture approved 60000",
      "void approved 60000",
      `void approved ${AMOUNT}`,
    ]);
  });

  test("a hold that the record shows, and of which the bank says that it is undone, is for people", async () => {
    await bank.mode({ ...USUAL, closedCode: "0211", voidLiftsHold: true });
    const { request, outcome } = await approved("authorize");
    const part = calls.followUp(request, { ...about(request, outcome), amountMinor: 60_000n });
    expect(await acquirer.capture(part)).toMatchObject({ kind: "approved" });
    const cancel = calls.followUp(request, { ...about(request, outcome, 60_000n), amountMinor: 60_000n });
    expect(await acquirer.cancel(cancel)).toEqual({ kind: "unknown", reason: "pending" });
    expect(await bank.ledger(request.reference)).toContain("void approved 60000");
  });

  test("a refund before the day's end waits for it, where the bank says so", async () => {
    await bank.mode({ ...USUAL, closedCode: "0211", refundsSameDay: false });
    const { request, outcome } = await approved("sale");
    const refund = calls.followUp(request, { ...about(request, outcome), amountMinor: 1n });
    expect(await acquirer.refund(refund)).toMatchObject({ kind: "not_sent", reason: "day_not_ended" });
    await bank.closeDay();
    expect(await acquirer.refund(refund)).toMatchObject({ kind: "approved" });
  });
});
