import { randomBytes, randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  answerXml,
  approvedXml,
  emptyHistoryXml,
  historyRow,
  historyXml,
  startScriptedBank,
} from "../../packages/banks/src/nestpay/test/scripted-bank.ts";
import { accountOperators, resultOf } from "../../services/payments/test/account-operators.ts";
import { BANK_PROTOCOLS } from "../conformance/bank-protocols.ts";
import { eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/**
 * A Nestpay bank does not return our references: movements are identified by the names in its record. Its
 * clock cannot identify them: it is another machine's, in an unnamed zone.
 */
let refunds: RefundsHarness;
let bank: Awaited<ReturnType<typeof startScriptedBank>>;
let merchantId: string;

type Row = { charge: "S" | "C"; state?: "PN"; original: string; transId: string; time: string };
/** The bank carries a call out and answers, carries it out and does not answer, gets it never, or takes it for a copy. */
type Fate = "answered" | "unanswered" | "lost" | "copied";

const orders = new Map<string, Row[]>();
let fate: Fate;
let isRecordShown: boolean;
let clock: (now: Date) => string;
let names = 0;

beforeAll(async () => {
  refunds = await startRefundsHarness({
    env: { ...FAST, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
  });
  bank = await startScriptedBank(answerOf);
  const { account, merchantRoutedTo } = accountOperators(refunds, () => bank.url);
  const accountId = await account({
    protocol: "nestpay",
    settings: BANK_PROTOCOLS.nestpay.settings(bank.url),
    secrets: BANK_PROTOCOLS.nestpay.secrets,
    businessDay: { timeZone: "Europe/Belgrade", cutOff: "23:00" },
  });
  merchantId = await merchantRoutedTo({ accountId });
});
beforeEach(() => {
  fate = "answered";
  isRecordShown = true;
  clock = (now) => wallClock(now, "Europe/Belgrade");
});
afterAll(async () => {
  await refunds.close();
  await bank.close();
});

function answerOf(fields: ReadonlyMap<string, string>): string {
  const orderId = fields.get("OrderId") ?? "";
  const rows = orders.get(orderId) ?? [];
  orders.set(orderId, rows);
  const type = fields.get("Type");
  if (type === undefined) {
    if (!isRecordShown) return NO_ANSWER;
    const newestFirst = rows
      .toReversed()
      .map(({ charge, state = "C", ...row }) => historyRow(charge, state, row));
    return rows.length === 0 ? emptyHistoryXml(orderId) : historyXml(orderId, ...newestFirst);
  }
  const charge = type === "Credit" ? "C" : "S";
  const copied = fate === "copied" && rows.find((row) => row.charge === charge);
  if (copied) return approvedXml(orderId, copied.transId);
  if (fate === "lost") return NO_ANSWER;
  const transId = add(orderId, charge, (fields.get("Total") ?? "").replace(".", ""));
  return fate === "unanswered" ? NO_ANSWER : approvedXml(orderId, transId);
}

const NO_ANSWER = answerXml({ Response: "Busy" });

/** A movement that the bank carries out, whoever asked for it. @returns its name. */
function add(orderId: string, charge: Row["charge"], original: string): string {
  const transId = `T${++names}`;
  orders.get(orderId)!.push({ charge, original, transId, time: clock(new Date()) });
  return transId;
}

function wallClock(at: Date, timeZone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(at.getTime());
  const local = instant.toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "millisecond" }).replace("T", " ");
}

const of = () => ({ merchant: { merchantId } });
const orderOf = (paymentId: string) => paymentId.replaceAll("-", "");
const credits = (paymentId: string) =>
  orders.get(orderOf(paymentId))!.flatMap(({ charge, original }) => (charge === "C" ? [original] : []));
const creditCalls = (paymentId: string) =>
  bank.received.filter(
    ({ fields }) => fields.get("Type") === "Credit" && fields.get("OrderId") === orderOf(paymentId),
  ).length;

async function sell() {
  const command = refunds.command({
    ofMerchant: merchantId,
    amountMinor: "10000",
    cardData: { pan: "4355084355084358", cvv: "000" },
  });
  return { paymentId: command.paymentId, reply: await refunds.call(operations.pay.command, command, of()) };
}

async function sold(): Promise<string> {
  const { paymentId, reply } = await sell();
  expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  return paymentId;
}

/** A refund of 30.00 that is approved. */
async function refundOf(paymentId: string, amountMinor = "3000"): Promise<string> {
  const refundId = randomUUID();
  const request = { refundId, paymentId, amountMinor, currency: "TRY" };
  expect(await refunds.call(operations.requestRefund.command, request, of())).toMatchObject({
    outcome: "done",
  });
  await refunds.approve(refundId);
  return refundId;
}

/** Waits until the bank has been asked about it several times, with this result. */
async function staysAs(refundId: string, lastInquiry: string): Promise<void> {
  const read = async () => resultOf(await refunds.describe(refundId));
  const { attempts } = await read();
  await eventually(async () => {
    const now = await read();
    return now.attempts >= attempts + 2 && now.lastInquiry === lastInquiry;
  });
  expect(await read()).toMatchObject({ state: "EXECUTING", lastInquiry });
}

/** The instant of a bank with a correct clock, or minutes earlier. */
const minutes = (count: number) => (now: Date) =>
  wallClock(new Date(now.getTime() + count * 60_000), "Europe/Belgrade");

describe.each<[string, (now: Date) => string]>([
  ["is three minutes behind", minutes(-3)],
  ["is two minutes ahead", minutes(2)],
  ["is in UTC", (now) => wallClock(now, "UTC")],
  ["is Dubai's", (now) => wallClock(now, "Asia/Dubai")],
  ["shows the hour that comes twice", () => "2026-10-25 02:30:05.000"],
  ["shows no time", () => ""],
])("at a bank whose clock %s", (_, itsClock) => {
  beforeEach(() => void (clock = itsClock));

  test("a refund whose answer was lost is paid once", async () => {
    const paymentId = await sold();
    fate = "unanswered";
    const refundId = await refundOf(paymentId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(credits(paymentId)).toEqual(["3000"]);
    expect(creditCalls(paymentId)).toBe(1);
  });

  test("a sale whose answer was lost is adopted, and not voided", async () => {
    fate = "unanswered";
    const { paymentId, reply } = await sell();
    expect(reply).toMatchObject({ outcome: "pending" });
    await eventually(async () => {
      const read = await refunds.call(operations.getPayment.command, { paymentId }, of());
      return "result" in read && read.result.status === "SUCCESS";
    });
    expect(bank.received.some(({ fields }) => fields.get("Type") === "Void")).toBe(false);
  });

  test("a refund of the same amount that was made in its panel before is not taken for ours", async () => {
    const paymentId = await sold();
    add(orderOf(paymentId), "C", "3000");
    fate = "lost";
    const refundId = await refundOf(paymentId);
    await staysAs(refundId, "not_found");
    add(orderOf(paymentId), "C", "3000");
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(creditCalls(paymentId)).toBe(1);
  });
});

test("a second refund that the bank takes for a copy of the first is not believed", async () => {
  const paymentId = await sold();
  const [first, second] = [await refundOf(paymentId), ((fate = "copied"), await refundOf(paymentId))];
  expect(await refunds.settled(first)).toBe("SUCCESS");
  expect(resultOf(await refunds.describe(second))).toMatchObject({ state: "EXECUTING" });
  expect(await refunds.amounts(paymentId)).toEqual({ refunded: 3_000, reserved: 3_000, released: 0 });
  const [call] = await refunds.query(
    "select outcome, result_code, external_transaction_id as name from payments.bank_call where movement_id = $1",
    [second],
  );
  const paid = orders.get(orderOf(paymentId))!.find(({ charge }) => charge === "C");
  expect(call).toEqual({ outcome: "unknown", result_code: "mismatch", name: paid?.transId });
});

test("a new movement of another amount is for people to look at", async () => {
  const paymentId = await sold();
  fate = "lost";
  const refundId = await refundOf(paymentId);
  add(orderOf(paymentId), "C", "5000");
  await staysAs(refundId, "mismatch");
  expect(creditCalls(paymentId)).toBe(1);
});

test("a refund is not sent while the bank does not show which movements there are, and is sent when it does", async () => {
  const paymentId = await sold();
  isRecordShown = false;
  const refundId = await refundOf(paymentId);
  await eventually(async () => {
    const { lastInquiry } = resultOf(await refunds.describe(refundId));
    return lastInquiry === "acquirer_unavailable" || lastInquiry === "invalid_answer";
  });
  expect(creditCalls(paymentId)).toBe(0);
  isRecordShown = true;
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(credits(paymentId)).toEqual(["3000"]);
});

test("a refund of an order that the bank has no record of is not sent, and is told apart from a bank that is away", async () => {
  const paymentId = await sold();
  const rows = orders.get(orderOf(paymentId))!.splice(0);
  const refundId = await refundOf(paymentId);
  await staysAs(refundId, "no_record");
  expect(creditCalls(paymentId)).toBe(0);
  orders.get(orderOf(paymentId))!.push(...rows);
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
});

test("a refund is sent beside one that has no name yet, and where its answer is lost, people tell the two apart", async () => {
  const paymentId = await sold();
  const unnamed = { charge: "C", state: "PN", original: "3000", transId: "", time: "" } as const;
  orders.get(orderOf(paymentId))!.push(unnamed);
  const first = await refundOf(paymentId, "1000");
  expect(await refunds.settled(first)).toBe("SUCCESS");
  fate = "unanswered";
  const second = await refundOf(paymentId);
  await staysAs(second, "mismatch");
  expect(creditCalls(paymentId)).toBe(2);
});
