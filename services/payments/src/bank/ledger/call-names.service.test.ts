import { randomUUID } from "node:crypto";
import type { Unknown } from "@holdfast/acquirer";
import { CONNECTORS } from "@holdfast/banks";
import { operations } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { beginCall, findCalls, makeCall, noteAnswer, type BegunCall } from "./call-queries.ts";
import { TEST_ACCOUNT_ID } from "@holdfast/tests/support";

/** The bank's name belongs to one movement of a payment, however the answers come. */
let payments: PaymentsHarness;
let pool: Pool;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
  const connectionString = payments.database.superuserUrl;
  pool = new Pool({ connectionString, max: 4, options: "-c search_path=payments" });
});
afterAll(async () => {
  await pool.end();
  await payments.close();
});

const database = () => createDatabase<PaymentsDatabase>(pool);
const NAMING = { sharesNameOn: [] };
const MISMATCH = { kind: "unknown", reason: "mismatch" };
const approval = (externalTransactionId: string) =>
  ({
    kind: "approved",
    amountMinor: 1_000n,
    currency: "TRY",
    externalTransactionId,
    authCode: "123456",
    resultCode: "00",
    resultMessage: "",
  }) as const;

async function sold(): Promise<string> {
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "done" });
  return command.paymentId;
}

/** A refund, or a void, that is about to be sent. */
async function begun(
  paymentId: string,
  movementId: string = randomUUID(),
  kind: "refund" | "void" = "refund",
): Promise<BegunCall> {
  const payment = { payment_id: paymentId, account_id: TEST_ACCOUNT_ID, lease_token: null };
  const movement = { kind, reference: movementId, movementId, amountMinor: 1_000n, currency: "TRY" };
  const calls = await findCalls(database(), paymentId);
  return (await beginCall(database(), payment, movement, calls))!;
}

const rowOf = async ({ payment_id, number }: BegunCall) =>
  (await findCalls(database(), payment_id)).find((call) => call.number === number);

test("of two refunds that are approved under one name, the second is a mismatch, with what the bank said", async () => {
  const paymentId = await sold();
  const [first, second] = [await begun(paymentId), await begun(paymentId)];
  expect(await noteAnswer(database(), first, approval("t-1"), NAMING)).toEqual(approval("t-1"));
  expect(await noteAnswer(database(), second, approval("t-1"), NAMING)).toEqual(MISMATCH);
  expect(await rowOf(second)).toMatchObject({
    outcome: "unknown",
    result_code: "mismatch",
    answered_at: null,
    external_transaction_id: "t-1",
    auth_code: "123456",
    own_name: null,
    heard_at: null,
  });
  expect(await noteAnswer(database(), second, approval("t-2"), NAMING)).toEqual(approval("t-2"));
});

test("an approval that was heard has its name before it is confirmed", async () => {
  const paymentId = await sold();
  const [first, second] = [await begun(paymentId), await begun(paymentId)];
  const heard = { ...MISMATCH, heard: approval("t-1") } as Unknown;
  expect(await noteAnswer(database(), first, heard, NAMING)).toEqual(heard);
  expect(await rowOf(first)).toMatchObject({ own_name: "t-1", heard_at: expect.any(Date) as Date });
  expect(await noteAnswer(database(), second, heard, NAMING)).toEqual(MISMATCH);
  expect(await rowOf(second)).toMatchObject({ own_name: null, heard_at: null });
  expect(await noteAnswer(database(), first, approval("t-1"), NAMING)).toEqual(approval("t-1"));
});

test("of many that are noted at one moment, one has the name", async () => {
  const paymentId = await sold();
  const calls: BegunCall[] = [];
  for (let each = 0; each < 6; each++) calls.push(await begun(paymentId));
  const noted = await Promise.all(calls.map((call) => noteAnswer(database(), call, approval("t-1"), NAMING)));
  expect(noted.filter(({ kind }) => kind === "approved")).toHaveLength(1);
  expect(noted.filter(({ kind }) => kind === "unknown")).toHaveLength(5);
});

test("a name that another process has written meanwhile ends as a mismatch", async () => {
  const paymentId = await sold();
  const [first, second] = [await begun(paymentId), await begun(paymentId)];
  // The second movement cannot see this approval, but the approval's name is in the index.
  await payments.query(
    "update payments.bank_call set own_name = 't-1' where payment_id = $1 and number = $2",
    [paymentId, first.number],
  );
  expect(await noteAnswer(database(), second, approval("t-1"), NAMING)).toEqual(MISMATCH);
});

test("two answers about one refund are one approval, and another payment may have the name", async () => {
  const paymentId = await sold();
  const movementId = randomUUID();
  const [first, repeat] = [await begun(paymentId, movementId), await begun(paymentId, movementId)];
  for (const call of [first, repeat, await begun(await sold())])
    expect(await noteAnswer(database(), call, approval("t-1"), NAMING)).toEqual(approval("t-1"));
  expect(await rowOf(first)).toMatchObject({ own_name: "t-1" });
  expect(await rowOf(repeat)).toMatchObject({ own_name: null, external_transaction_id: "t-1" });
});

test("the answer to a refund under another payment's name is a mismatch, until the order's record shows it", async () => {
  const calls = [await begun(await sold()), await begun(await sold()), await begun(await sold())] as const;
  const byNames = { ...NAMING, ownReferenceOn: [] };
  const answered = (call: BegunCall, can: Parameters<typeof makeCall>[2]) =>
    makeCall(database(), call, can, () => Promise.resolve(approval("t-3")));
  expect(await answered(calls[0], byNames)).toEqual(approval("t-3"));
  expect(await answered(calls[1], byNames)).toEqual(MISMATCH);
  expect(await rowOf(calls[1])).toMatchObject({
    outcome: "unknown",
    external_transaction_id: "t-3",
    own_name: null,
    heard_at: null,
  });
  expect(await noteAnswer(database(), calls[1], approval("t-3"), NAMING)).toEqual(approval("t-3"));
  // A bank that gives our reference back is asked by it.
  expect(await answered(calls[2], { ...NAMING, ownReferenceOn: ["refund"] })).toEqual(approval("t-3"));
});

test("the sale's name is no refund's, but where the bank has voided the sale", async () => {
  const paymentId = await sold();
  const [sale] = await findCalls(database(), paymentId);
  const name = sale!.external_transaction_id!;
  const call = await begun(paymentId);
  expect(await noteAnswer(database(), call, approval(name), NAMING)).toEqual(MISMATCH);
  const sharing = { sharesNameOn: ["refund"] } as const;
  expect(await noteAnswer(database(), call, approval(name), sharing)).toEqual(MISMATCH);
  const asVoid = { ...approval(name), asVoid: true } as const;
  expect(await noteAnswer(database(), call, asVoid, NAMING)).toEqual(MISMATCH);
  expect(await noteAnswer(database(), call, asVoid, sharing)).toEqual(asVoid);
});

test("a cancel at iyzico may be known by the name of the payment that its panel has cancelled", async () => {
  const iyzico = CONNECTORS.get("iyzico")!.capabilities({});
  const paymentId = await sold();
  const [sale] = await findCalls(database(), paymentId);
  const cancelled = approval(sale!.external_transaction_id!);
  const call = await begun(paymentId, randomUUID(), "void");
  expect(await noteAnswer(database(), call, cancelled, iyzico)).toEqual(cancelled);
  expect(await rowOf(call)).toMatchObject({ outcome: "approved", own_name: null });
});
