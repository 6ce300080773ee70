import { randomBytes, randomUUID } from "node:crypto";
import { operations, type Difference } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators, resultOf } from "../../services/payments/test/account-operators.ts";
import { decimalText, genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { eventually } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";
import { booksOfMonthDisagree, type BankEntry, type Month } from "./month-books.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/**
 * A month of a merchant's life: sales, refunds on the day and after, refunds in the bank's panel, two rounds
 * of a chargeback, a payout that is short, and lines that only people can judge. In the end statements, the
 * bank's file and its payouts agree to the kuruş, and each difference has a person's line in the audit log.
 */

const COMMISSION_PERCENT = 2n;
const merchant = {
  merchantId: randomUUID(),
  commission: { ratePercent: `${COMMISSION_PERCENT}`, fixed: "0", currency: "TRY" },
};

let system: SettlementHarness;
let bank: PlayedBank;
let accountId: string;
beforeAll(async () => {
  system = await startSettlementHarness({
    envOf: {
      payments: { ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
      settlement: { FEED_INTERVAL: "50ms", MATCH_INTERVAL: "50ms" },
    },
  });
  bank = await playBank("nestpay", makeTestDirectory());
  const operators = accountOperators(system, () => "");
  accountId = await operators.account(bank.account);
  const { merchantId } = merchant;
  resultOf(await operators.as("alice").route(merchantId, [{ accountId }]));
  resultOf(await operators.as("bora").confirmRoutes(merchantId, 1));
  await eventually(async () => {
    // Lateness is not under test: all of it is sold today, and the bank settles it in March.
    const rows = await system.query(
      "update settlement.account set settlement_days = 400 where account_id = $1 returning account_id",
      [accountId],
    );
    expect(rows).toHaveLength(1);
  });
});
afterAll(async () => {
  await system.close();
  await bank.close();
});

async function sell(amount: bigint): Promise<string> {
  const cardData = { pan: "4355084355084358", cvv: "000" };
  const sale = system.command({ ofMerchant: merchant.merchantId, amountMinor: `${amount}`, cardData });
  expect(await system.call(operations.pay.command, sale, { merchant })).toMatchObject({
    result: { status: "SUCCESS" },
  });
  return sale.paymentId;
}

async function refund(paymentId: string, amount: bigint): Promise<void> {
  const request = { refundId: randomUUID(), paymentId, amountMinor: `${amount}`, currency: "TRY" };
  resultOf(await system.call(operations.requestRefund.command, request, { merchant }));
  resultOf(await system.approve(request.refundId));
  await eventually(async () => {
    const [row] = await system.query("select state from refunds.refund where refund_id = $1", [
      request.refundId,
    ]);
    expect(row).toEqual({ state: "SUCCESS" });
  });
}

/** The bank's ledger of the month, and the files that it writes of it. */
const month: Month = {
  entries: [],
  payouts: new Map(),
  short: new Map(),
  commissionPercent: COMMISSION_PERCENT,
};
const dayOf = (number: number) => `2026-03-${String(number).padStart(2, "0")}`;
const payoutOf = (number: number) => `PAY-${dayOf(number)}`;

type Written = { text: string; entry: BankEntry };

function written(
  number: number,
  kind: string,
  gross: bigint,
  change: Partial<BankEntry> & { reference?: string; word?: BankEntry["word"] } = {},
): Written {
  const { reference = "", ...more } = change;
  const fee = kind === "SALE" || kind === "VOID" ? (gross * 179n) / 10_000n : 0n;
  const isOurs = ["SALE", "REFUND", "VOID"].includes(kind) && reference !== "";
  const entry: BankEntry = {
    kind,
    day: dayOf(number),
    gross,
    fee,
    payoutId: payoutOf(number),
    priced: isOurs ? gross : 0n,
    ...more,
  };
  const text = genericLine({
    kind,
    reference,
    bank_reference: randomUUID(),
    gross: decimalText(gross),
    fee: decimalText(entry.fee),
    net: decimalText(gross - entry.fee),
    transacted_at: `${entry.day}T12:00:00`,
    settles_on: entry.day,
    payout_id: entry.payoutId,
  });
  return { text, entry };
}

/** The day's file, and the bank's statement of its payout. */
async function report(number: number, lines: Written[]): Promise<void> {
  month.entries.push(...lines.map(({ entry }) => entry));
  await take(genericFile(...lines.map(({ text }) => text)), "generic");
  const id = payoutOf(number);
  const own = month.entries.filter(({ payoutId, isCopy }) => payoutId === id && !isCopy);
  const owed = own.reduce((sum, { gross, fee }) => sum + gross - fee, 0n);
  const paid = owed - (month.short.get(id) ?? 0n);
  month.payouts.set(id, paid);
  const size = paid < 0n ? -paid : paid;
  await take(
    `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Ntry>
      <Amt Ccy="TRY">${decimalText(size)}</Amt><CdtDbtInd>${paid < 0n ? "DBIT" : "CRDT"}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <ValDt><Dt>${dayOf(number)}</Dt></ValDt>
      <NtryDtls><TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`,
    "camt.053",
  );
}

async function take(content: string, mapping: string): Promise<void> {
  const file = await system.bankFiles.write(content);
  const words = ["import", file, "--mapping", mapping, "--account", accountId];
  expect(await system.bankFiles.run(...words)).toMatchObject({ code: 0 });
}

async function everythingIsCompared(): Promise<void> {
  await eventually(async () => {
    const waiting = `select from settlement.import where matched_at is null
      union all select from settlement.fact where judge or kind <> 'REFUND' and commission_minor is null
      union all select from settlement.payout where judge
      union all select from settlement.chargeback_report where tell_at is not null
      union all select from settlement.statement_change where look_at <= now() + interval '1 minute'`;
    expect(await system.query(waiting)).toEqual([]);
  });
}

async function differencesIn(...states: Difference["state"][]): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const state of states)
    found.push(
      ...resultOf(await system.operate(operations.listDifferences.command, { limit: 200, state })).items,
    );
  return found;
}

/** The month as it is played: each day's lines. Amounts are multiples of 50, so that a commission of 2 % is exact. */
async function playMonth(): Promise<void> {
  const sold: { paymentId: string; amount: bigint }[] = [];
  let yesterday: Written;
  for (let number = 1; number <= DAYS; number++) {
    const lines: Written[] = [];
    const amount = 5_000n + BigInt(number * 350);
    const paymentId = await sell(amount);
    const isPaidLess = number === 15;
    lines.push(
      isPaidLess
        ? written(number, "SALE", amount - 500n, { reference: paymentId, word: "ACCEPT_BANK" })
        : written(number, "SALE", amount, { reference: paymentId }),
    );
    if (number % 6 === 2) {
      // A refund of a whole sale on its day, which is a void at this bank.
      const returned = await sell(2_000n);
      await refund(returned, 2_000n);
      lines.push(
        written(number, "SALE", 2_000n, { reference: returned }),
        written(number, "VOID", -2_000n, { reference: returned }),
      );
    }
    const before = sold.at(-1);
    if (number % 5 === 4 && before) {
      // A refund of a part, on the day after.
      await refund(before.paymentId, 1_250n);
      lines.push(written(number, "REFUND", -1_250n, { reference: before.paymentId }));
    }
    lines.push(...special(number, sold));
    if (number === 17) month.short.set(payoutOf(number), 1_234n);
    if (number === 23) lines.push(copyOf(yesterday!));
    await report(number, lines);
    yesterday = lines[0]!;
    sold.push({ paymentId, amount });
    await bank.closeDay();
  }
}

/** The bank writes a line of the day before again. */
const copyOf = ({ text, entry }: Written): Written => ({ text, entry: { ...entry, isCopy: true } });

const DAYS = 28;

/** The events that occur once in the month. */
function special(number: number, sold: { paymentId: string; amount: bigint }[]): Written[] {
  const disputed = sold[5];
  switch (number) {
    case 9:
      // Refunds in the bank's panel.
      return [
        written(number, "REFUND", -3_000n, {
          reference: sold[2]!.paymentId,
          priced: 0n,
          word: "ACCEPT_BANK",
        }),
      ];
    case 12:
      return [written(number, "CHARGEBACK", -disputed!.amount, { reference: disputed!.paymentId })];
    case 18:
      return [written(number, "CHARGEBACK_REVERSAL", disputed!.amount, { reference: disputed!.paymentId })];
    case 25:
      return [written(number, "CHARGEBACK", -disputed!.amount, { reference: disputed!.paymentId })];
    case 20:
      return [written(number, "KOMISYON IADE", -6_000n, { word: "ACCEPT_BANK" })];
    case 22:
      return [written(number, "SALE", 4_000n, { priced: 0n, word: "NOT_OURS", fee: 0n })];
    case 28:
      return [written(number, "FEE", -2_500n, { isOfCompany: true })];
    default:
      return [];
  }
}

/**
 * Lets people close every open difference with a decision: the bank's amount is accepted unless the ledger
 * says that it is not ours.
 */
async function decide(isTurn: (difference: Difference) => boolean): Promise<void> {
  const open = (await differencesIn("OPEN")).filter((difference) => isTurn(difference));
  for (const { differenceId, class: kind, amount, merchantId } of open) {
    const isForeign = kind === "DUPLICATE" || (kind === "MISSING_HERE" && amount === 40);
    const line = kind === "UNREADABLE" &&
      merchantId === undefined && { line: { merchantId: merchant.merchantId } };
    resultOf(
      await system.operate(operations.closeDifference.command, {
        differenceId,
        decision: isForeign ? "NOT_OURS" : "ACCEPT_BANK",
        reason: `the bank has confirmed it by letter: ${kind}`,
        ...line,
      }),
    );
  }
}

test("a month's statements, the bank's file and its payouts are the same, and people have said each difference", async () => {
  await playMonth();
  await everythingIsCompared();
  const days = { from: dayOf(1), to: dayOf(31), limit: 50 };
  const statements = async () =>
    resultOf(await system.call(operations.listStatements.command, days, { merchant })).items;
  const check = async () => await system.bankFiles.run("check", "--from", days.from, "--to", days.to);
  // A day that waits for people is never called complete, and the checker sees it.
  expect(await check()).toMatchObject({ code: 1 });
  const waiting = await statements();
  const complete = new Set(waiting.filter((each) => each.complete).map(({ day }) => day));
  const incomplete = month.entries.map(({ day }) => day).filter((day) => !complete.has(day));
  expect([...new Set(incomplete)]).toEqual([9, 15, 20].map(dayOf));
  expect(booksOfMonthDisagree(month, waiting, await differencesIn("OPEN", "CLOSED", "RESOLVED"))).not.toEqual(
    [],
  );

  // The payout of a line that nobody could read is right once a person has read it.
  await decide((each) => each.class === "UNREADABLE");
  await everythingIsCompared();
  await decide(() => true);
  await everythingIsCompared();
  expect(
    booksOfMonthDisagree(
      month,
      await statements(),
      await differencesIn("OPEN", "PROPOSED", "CLOSED", "RESOLVED"),
    ),
  ).toEqual([]);
  expect(await check()).toMatchObject({ code: 0 });
  expect((await differencesIn("CLOSED")).map((each) => each.class).toSorted()).toEqual([
    "AMOUNT_DIFFERS",
    "DUPLICATE",
    "MISSING_HERE",
    "MISSING_HERE",
    "PAYOUT_DIFFERS",
    "UNREADABLE",
  ]);
});
