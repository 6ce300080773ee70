import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inquireAbout, type ProbedAcquirer } from "@holdfast/acquirer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playBank, type PlayedBank } from "./played-banks.ts";
import { CallBuilder } from "./suite/call-builder.ts";

/** A bank that voids the last movement, and whose records are not known to show refunds. */
let dir: string;
let bank: PlayedBank;
let acquirer: ProbedAcquirer;
const calls = new CallBuilder({ pan: "4111111111111111", expiryMonth: "12", expiryYear: "35", cvv: "123" });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-conformance-"));
  bank = await playBank("akbank", dir);
  acquirer = bank.connect();
});
afterAll(async () => {
  await acquirer.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

const target = (amountMinor: bigint, externalTransactionId: string) => ({
  target: { amountMinor, externalTransactionId, at: new Date() },
});

async function sell() {
  const request = calls.card({ currency: "TRY" });
  const sale = await acquirer.sale(request);
  if (sale.kind !== "approved") throw new Error(sale.kind);
  return { request, about: target(request.amountMinor, sale.externalTransactionId) };
}

test("a refund that a status alone shows is neither found nor missing, so that none is sent again", async () => {
  await bank.mode({ refundShownBy: "status" });
  const { request, about } = await sell();
  await bank.will("refund", "unlisted_done");
  const refund = calls.followUp(request, { ...about, amountMinor: 4_000n });
  expect(await acquirer.refund(refund)).toMatchObject({ kind: "unknown" });
  const attempt = {
    reference: refund.reference,
    kind: "refund",
    amountMinor: 4_000n,
    currency: "TRY",
  } as const;
  const { verdict } = await inquireAbout(acquirer, request, attempt, calls.soon());
  expect(verdict).toEqual({ kind: "unknown", reason: "pending" });
  expect(await acquirer.cancel(calls.followUp(request, about))).toEqual({
    kind: "unknown",
    reason: "pending",
  });
  expect(await bank.ledger(request.reference)).toEqual(["sale approved 10000", "refund approved 4000"]);
});

test("a cancel never undoes the refund that came after its sale", async () => {
  await bank.mode({ refundShownBy: "row_and_status", cancelBesideRefund: "undoes_refund" });
  const { request, about } = await sell();
  const refund = calls.followUp(request, { ...about, amountMinor: 4_000n });
  expect(await acquirer.refund(refund)).toMatchObject({ kind: "approved" });
  expect(await acquirer.cancel(calls.followUp(request, about))).toMatchObject({ kind: "unknown" });
  expect(await acquirer.reverse(calls.reversal(request))).toMatchObject({ kind: "unknown" });
  expect(await bank.ledger(request.reference)).toEqual(["sale approved 10000", "refund approved 4000"]);
});

test("a void that a code of no list refuses is what the record shows, and too late when it is repeated", async () => {
  const { request, about } = await sell();
  const cancel = calls.followUp(request, about);
  await bank.will("void", "unlisted_done");
  expect(await acquirer.cancel(cancel)).toMatchObject({ kind: "approved" });
  const late = await sell();
  await bank.closeDay();
  const tooLate = calls.followUp(late.request, late.about);
  expect(await acquirer.cancel(tooLate)).toEqual({ kind: "unknown", reason: "pending" });
  expect(await acquirer.cancel({ ...tooLate, isRepeated: true })).toMatchObject({ kind: "declined" });
  const reversal = { ...calls.reversal(late.request), isRepeated: true } as const;
  expect(await acquirer.reverse(reversal)).toMatchObject({ kind: "settled" });
});
