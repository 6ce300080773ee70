import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbedAcquirer } from "@holdfast/acquirer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playBank, type PlayedBank } from "./played-banks.ts";
import { CallBuilder } from "./suite/call-builder.ts";
import { passChallenge } from "./suite/pass-challenge.ts";

/** 3-D Secure at a bank that reads its own return, in a call of ours, and charges whoever asks for it. */
let dir: string;
let bank: PlayedBank;
let acquirer: ProbedAcquirer;
const calls = new CallBuilder({ pan: "4111111111111111", expiryMonth: "12", expiryYear: "35", cvv: "123" });
const RETURN_URL = "https://pay.example/return/1";

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

async function enrol() {
  const request = calls.enrolment({ currency: "TRY", operation: "sale", returnUrl: RETURN_URL });
  return { request, enrolled: await acquirer.enrol(request) };
}

async function returned(code = "123456") {
  const { request, enrolled } = await enrol();
  if (enrolled.kind !== "challenge" || enrolled.challenge.type !== "html") throw new Error(enrolled.kind);
  const fields = await passChallenge(bank, enrolled.challenge.html, { code, returnUrl: RETURN_URL });
  const { reference, orderId, amountMinor, currency, installmentCount, operation } = request;
  const completion = {
    reference,
    orderId,
    amountMinor,
    currency,
    installmentCount,
    operation,
    session: enrolled.session,
    returned: { fields },
  };
  return { reference, complete: () => acquirer.complete({ ...completion, expiresAt: calls.verySoon() }) };
}

const APPROVED = ["sale approved 10000"];
const notGenuine = { kind: "not_genuine" };

test.each<[string, string, object, readonly string[]]>([
  // The plain fields beside the packets are signed by nobody, and spoil nothing.
  ["enrol", "wrong_amount", { kind: "approved" }, APPROVED],
  ["enrol", "other_order", { kind: "approved" }, APPROVED],
  ["enrol", "other_account", { kind: "approved" }, APPROVED],
  ["enrol", "other_packet", { kind: "approved" }, APPROVED],
  ["enrol", "wrong_sign", notGenuine, []],
  ["enrol", "no_sign", notGenuine, []],
  ["resolve", "wrong_mac", notGenuine, []],
  ["resolve", "no_mac", notGenuine, []],
  ["resolve", "other_order", notGenuine, []],
  ["resolve", "wrong_amount", notGenuine, []],
  ["resolve", "contradiction", { kind: "declined" }, []],
  ["resolve", "no_md_status", { kind: "declined" }, []],
  ["resolve", "unlisted_done", { kind: "not_sent" }, []],
  ["resolve", "garbage", { kind: "not_sent" }, []],
  ["complete", "wrong_mac", { kind: "unknown", reason: "mismatch" }, APPROVED],
  ["complete", "no_mac", { kind: "unknown", reason: "pending" }, APPROVED],
  ["complete", "no_hostlogkey", { kind: "unknown" }, APPROVED],
  ["complete", "host_silent_done", { kind: "unknown" }, APPROVED],
  ["complete", "unlisted_not_done", { kind: "unknown" }, []],
])("%s %s", async (operation, behaviour, outcome, lines) => {
  if (operation === "enrol") await bank.will(operation, behaviour);
  const { reference, complete } = await returned();
  if (operation !== "enrol") await bank.will(operation, behaviour);
  expect(await complete()).toMatchObject(outcome);
  const approved = (await bank.ledger(reference)).filter((line) => line.includes("approved"));
  expect(approved).toEqual(lines);
});

test("a form that is not answered by a page that leads on is no challenge", async () => {
  await bank.will("enrol", "error_page");
  const { enrolled } = await enrol();
  expect(enrolled.kind).toBe("unknown");
});

test("a payment of 3-D Secure is found again, cancelled and refunded", async () => {
  const { reference, complete } = await returned();
  const paid = await complete();
  if (paid.kind !== "approved") throw new Error(paid.kind);
  const request = calls.card({ reference, currency: "TRY" });
  expect(await calls.verdict(acquirer, request, "sale")).toMatchObject({ kind: "approved" });
  const target = { amountMinor: 10_000n, at: new Date(), externalTransactionId: paid.externalTransactionId };
  const refund = calls.followUp(request, { target, amountMinor: 1n });
  expect(await acquirer.refund(refund)).toMatchObject({ kind: "approved" });
  const second = await returned();
  expect((await second.complete()).kind).toBe("approved");
  expect(
    await acquirer.reverse(calls.reversal(calls.card({ reference: second.reference, currency: "TRY" }))),
  ).toEqual({
    kind: "reversed",
  });
});

test("a payment is found under the prefix that the bank gave it, whatever the setting says", async () => {
  await bank.mode({ orderPrefix: "TDSC" });
  const { reference, complete } = await returned();
  expect(await complete()).toMatchObject({ kind: "approved" });
  expect(await bank.ledger(reference)).toEqual(APPROVED);
  await bank.mode({ orderPrefix: "TDS_" });
});
