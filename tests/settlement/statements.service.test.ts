import { createHash, randomUUID } from "node:crypto";
import { operations, type MessageContext } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

const commission = { ratePercent: "1.99", fixed: "0", currency: "TRY" };
const DAYS = { from: "2026-03-11", to: "2026-03-12" };
const other: MessageContext["merchant"] = { merchantId: randomUUID(), commission };

let system: SettlementHarness;
let port: number;
/** Sold for 100.00 and given back in two parts; sold for 50.00, paid out in two parts, and charged back in part. */
let returned: string;
let kept: string;
beforeAll(async () => {
  system = await startSettlementHarness({
    services: ["payments", "refunds", "settlement", "gateway-operator"],
    running: ["payments", "refunds", "settlement"],
    commission,
    envOf: { settlement: { MATCH_INTERVAL: "50ms" } },
  });
  ({ port } = (await system.start("gateway-operator")) as unknown as { port: number });
  returned = await system.sell("10000");
  const refunds = [await system.refund(returned, "3333"), await system.refund(returned, "6667")];
  kept = await system.sell("5000");
  const disputed = await system.sell("777");
  const others = system.command({ amountMinor: "1000", ofMerchant: other.merchantId });
  await system.call(operations.pay.command, others, { merchant: other });
  await take(
    line("SALE", returned, 10_000n, { fee: 150n }),
    line("REFUND", refunds[0]!, -3_333n),
    line("REFUND", refunds[1]!, -6_667n),
    line("SALE", kept, 2_500n, { part: "1", fee: 40n }),
    line("SALE", kept, 2_500n, { part: "1", fee: 40n }),
    line("SALE", kept, 2_500n, { part: "2", fee: 40n, day: "2026-03-12" }),
    line("CHARGEBACK", kept, -2_000n, { fee: 15n }),
    line("SALE", disputed, 776n),
    line("SALE", others.paymentId, 1_000n),
    line("SALE", randomUUID(), 4_000n),
    line("CHARGEBACK", randomUUID(), -500n),
  );
});
afterAll(() => system.close());

type Change = { fee?: bigint; part?: string; day?: string };

function line(kind: string, reference: string, gross: bigint, change: Change = {}): string {
  const { fee = 0n, part = "", day = "2026-03-11" } = change;
  return genericLine({
    kind,
    reference,
    bank_reference: `b-${reference}-${kind}-${part}`,
    gross: decimalText(gross),
    fee: decimalText(fee),
    net: decimalText(gross - fee),
    settles_on: day,
  });
}

async function take(...lines: string[]): Promise<void> {
  // The account may take any time: lateness is not under test.
  await system.query("update settlement.account set settlement_days = 400");
  expect(await system.bankFiles.take(...lines)).toMatchObject({ code: 0 });
  await eventually(async () => {
    const rows = await system.query(
      `select from settlement.import where matched_at is null
       union all select from settlement.fact where kind <> 'REFUND' and commission_minor is null`,
    );
    expect(rows).toEqual([]);
  });
}

const FIRST = {
  day: "2026-03-11",
  currency: "TRY",
  salesAmount: 125,
  refundsAmount: 100,
  chargebacksAmount: 20,
  adjustmentsAmount: 0,
  commission: 0.5,
  bankFeesAmount: 2.05,
  netPayableAmount: 4.5,
  lines: 5,
  unpricedLines: 0,
  // The line with another amount waits for a person's decision.
  complete: false,
};
const SECOND = {
  ...FIRST,
  day: "2026-03-12",
  salesAmount: 25,
  refundsAmount: 0,
  chargebacksAmount: 0,
  bankFeesAmount: 0.4,
  netPayableAmount: 24.5,
  lines: 1,
  complete: true,
  revision: 1,
};

async function own(merchant?: MessageContext["merchant"], days = DAYS) {
  // A `merchantId` that the merchant names is ignored.
  const named = { ...days, limit: 50, merchantId: system.merchantId };
  const reply = await system.call(operations.listStatements.command, named, merchant && { merchant });
  return "result" in reply ? reply.result.items : reply;
}

test("a statement is what agrees: a copy, what differs and what is nobody's are in none", async () => {
  const { merchantId } = system;
  await eventually(async () =>
    expect(await own()).toEqual([
      { merchantId, ...FIRST },
      { merchantId, ...SECOND },
    ]),
  );
});

test("a merchant gets their own statements and no others", async () => {
  expect(await own(other)).toMatchObject([
    { merchantId: other.merchantId, salesAmount: 10, commission: 0.2, netPayableAmount: 9.8, lines: 1 },
  ]);
  expect(await own({ merchantId: randomUUID() })).toEqual([]);
});

async function ask(query: string, accept = "application/json") {
  const token = await system.identity.token({ claims: { sub: "olga", roles: ["viewer"] } });
  const answer = await fetch(`http://127.0.0.1:${port}/operator/statements?${query}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: accept },
  });
  return { status: answer.status, text: await answer.text() };
}

test("operators get those of all merchants, page by page, of one of them, and as one file", async () => {
  const range = new URLSearchParams(DAYS).toString();
  const seen: unknown[] = [];
  for (let cursor = ""; ;) {
    const { text } = await ask(`${range}&limit=1${cursor}`);
    const page = JSON.parse(text) as { items: { merchantId: string; day: string }[]; nextCursor?: string };
    seen.push(...page.items.map(({ merchantId, day }) => `${day} ${merchantId}`));
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  const expected = [`2026-03-11 ${system.merchantId}`, `2026-03-11 ${other.merchantId}`].toSorted();
  expect(seen).toEqual([...expected, `2026-03-12 ${system.merchantId}`]);
  const ofOther = JSON.parse((await ask(`${range}&merchantId=${other.merchantId}`)).text) as {
    items: unknown[];
  };
  expect(ofOther.items).toHaveLength(1);
  const [header, ...rows] = (await ask(range, "text/csv")).text.trim().split("\r\n");
  expect(header).toBe(
    "merchantId,day,currency,salesAmount,refundsAmount,chargebacksAmount,adjustmentsAmount,commission,bankFeesAmount,netPayableAmount,lines,unpricedLines,complete,revision,merchantName",
  );
  expect(rows).toContain(
    `${system.merchantId},2026-03-11,TRY,125.00,100.00,20.00,0.00,0.50,2.05,4.50,5,0,false,,`,
  );
  expect(rows.at(-1)).toMatch(/^#rows,3,/);
  expect((await ask(range.replace("2026-03-12", "2026-03-10"))).status).toBe(400);
  expect((await ask("from=2026-03-01&to=2026-04-01")).status).toBe(400);
  expect((await ask(`${range}&cursor=x`)).status).toBe(400);
});

test("operators and merchants print them: a page without script, with a sum for each currency", async () => {
  const range = new URLSearchParams(DAYS).toString();
  const token = await system.identity.token({ claims: { sub: "olga", roles: ["viewer"] } });
  const answer = await fetch(`http://127.0.0.1:${port}/operator/statements?${range}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" },
  });
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = answer.headers.get("content-security-policy")!;
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const page = await answer.text();
  const [, style] = /<style>([^]*)<\/style>/.exec(page)!;
  expect(policy).toContain(createHash("sha256").update(style!).digest("base64"));
  expect(page).not.toMatch(/<script| on\w+=|style=/i);
  const rows = [...page.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell]) => cell!.trim()),
  );
  expect(rows).toContainEqual([
    "Mar 11, 2026 <strong>not final</strong>",
    system.merchantId,
    "TRY",
    "125.00",
    "100.00",
    "20.00",
    "0.00",
    "0.50",
    "2.05",
    "4.50",
    "5",
  ]);
  expect(rows.at(-1)).toEqual([
    "Sum",
    "TRY",
    "160.00",
    "100.00",
    "20.00",
    "0.00",
    "1.20",
    "2.45",
    "38.80",
    "7",
  ]);
  expect(page.trimEnd().endsWith("</html>")).toBe(true);
  // A program that takes anything gets JSON.
  expect((await ask(range, "*/*")).text.startsWith("{")).toBe(true);
  // Excel recognizes UTF-8 by the mark, which no other answer may begin with.
  const marked = [await ask(`${range}&bom=1`, "text/csv"), await ask(`${range}&bom=1`)];
  expect(marked.map(({ status }) => status)).toEqual([200, 400]);
});

test("statements and the lines that are left out add up to all lines, and a line that is in none is found", async () => {
  const check = () => system.bankFiles.run("check", "--from", DAYS.from, "--to", DAYS.to);
  expect(await check()).toEqual({
    code: 1,
    output: [
      "2026-03-11 TRY: lines 8276, statements 1500 (minor units)",
      "  left out: 776 in 1 lines: AMOUNT_DIFFERS, open",
      "  left out: 2500 in 1 lines: DUPLICATE",
      "  left out: 3500 in 2 lines: MISSING_HERE, open",
      "2 days and currencies were added up, 1 of them have open lines",
      "",
    ].join("\n"),
  });
  // A file that is being read counts nowhere.
  const before = await check();
  await system.query(
    `with reading as (
       insert into settlement.import (account_id, mapping, file_name, imported_by, state)
       values ('${TEST_ACCOUNT_ID}', 'generic', 'read now', 'olga', 'READING') returning import_id)
     insert into settlement.line (import_id, line_no, account_id, kind, gross_minor, fee_minor, net_minor, currency, settles_on)
     select import_id, 2, '${TEST_ACCOUNT_ID}', 'SALE', 1, 0, 1, 'TRY', '2026-03-11' from reading`,
  );
  expect(await check()).toEqual(before);
  const reading = "(select import_id from settlement.import where state = 'READING')";
  await system.query(`delete from settlement.line where import_id in ${reading}`);
  await system.query("delete from settlement.import where state = 'READING'");
  await system.query("update settlement.line set merchant_id = null where kind = 'CHARGEBACK'");
  expect(await check()).toEqual({
    code: 1,
    output: expect.stringContaining(
      "  these do not add up: a line is in no statement, or in two\n",
    ) as string,
  });
  await expect(system.bankFiles.run("check", "--from", "yesterday", "--to", DAYS.to)).rejects.toMatchObject({
    code: "usage",
  });
});

test("a plan may keep the commission of what is refunded: the payment has what it said when it was made", async () => {
  const keeping = { merchantId: randomUUID(), commission: { ...commission, refundsCommission: false } };
  const sale = system.command({ amountMinor: "10000", ofMerchant: keeping.merchantId });
  const { paymentId } = sale;
  expect(await system.call(operations.pay.command, sale, { merchant: keeping })).toMatchObject({
    outcome: "done",
  });
  const refundId = randomUUID();
  // The plan has changed since.
  const merchant = { merchant: { merchantId: keeping.merchantId, commission } };
  const asked = { refundId, paymentId, amountMinor: "10000", currency: "TRY" };
  expect(await system.call(operations.requestRefund.command, asked, merchant)).toMatchObject({
    outcome: "done",
  });
  expect(await system.approve(refundId)).toMatchObject({ outcome: "done" });
  await take(line("SALE", paymentId, 10_000n), line("REFUND", refundId, -10_000n));
  expect(await own(keeping)).toMatchObject([
    { salesAmount: 100, refundsAmount: 100, commission: 1.99, netPayableAmount: -1.99, unpricedLines: 0 },
  ]);
});

test.each([
  ["gives commission back", true],
  ["keeps it", false],
])(
  "a sale that the bank gave back by itself after its day's end costs no commission, where the plan %s",
  async (_, refundsCommission) => {
    const days = { from: "2026-03-21", to: "2026-03-22" };
    const merchant = { merchantId: randomUUID(), commission: { ...commission, refundsCommission } };
    const sale = system.command({ amountMinor: "12345", ofMerchant: merchant.merchantId });
    const { paymentId } = sale;
    expect(await system.call(operations.pay.command, sale, { merchant })).toMatchObject({ outcome: "done" });
    await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
    // Inserts the change of a payment that was reversed after its day's end.
    await system.query(
      "update settlement.fact set standing = 'NOT_DONE', judge = reported where fact_id = $1",
      [paymentId],
    );
    const sold = line("SALE", paymentId, 12_345n, { fee: 185n, day: days.from });
    await take(sold);
    // No money is owed while it is not known that the payment comes back.
    expect(await own(merchant, days)).toEqual([]);

    await take(line("REFUND", `${paymentId}:reversal`, -12_345n, { day: days.to }));

    // The commission of 1.99 % is 2.456…: taken with the sale, and given back whole.
    const zero = { chargebacksAmount: 0, lines: 1, unpricedLines: 0 };
    await eventually(async () =>
      expect(await own(merchant, days)).toMatchObject([
        {
          ...zero,
          day: days.from,
          salesAmount: 123.45,
          refundsAmount: 0,
          commission: 2.46,
          netPayableAmount: 120.99,
        },
        {
          ...zero,
          day: days.to,
          salesAmount: 0,
          refundsAmount: 123.45,
          commission: -2.46,
          netPayableAmount: -120.99,
        },
      ]),
    );
    expect(await system.bankFiles.run("check", "--from", days.from, "--to", days.to)).toMatchObject({
      code: 0,
    });
  },
);

test("a day is complete once the bank has reported everything up to it, and nothing of it is open", async () => {
  const merchant = { merchant: { merchantId: randomUUID(), commission } };
  const sell = async (occurredAt: string) => {
    const sale = system.command({ amountMinor: "1000", ofMerchant: merchant.merchant.merchantId });
    expect(await system.call(operations.pay.command, sale, merchant)).toMatchObject({ outcome: "done" });
    const { paymentId } = sale;
    await eventually(async () => {
      const rows = await system.query(
        `update settlement.fact set occurred_at = '${occurredAt}' where fact_id = '${paymentId}' and standing = 'DONE'
         returning fact_id`,
      );
      expect(rows).toHaveLength(1);
    });
    return paymentId;
  };
  const complete = async () => {
    const statements = await own(merchant.merchant);
    if (!Array.isArray(statements)) throw new Error("no statements");
    return Object.fromEntries(statements.map((each) => [each.day, each.complete]));
  };
  // By the bank's clock in Istanbul the second sale is of the 12th, and the third of the 13th.
  const first = await sell("2026-03-10T12:00:00Z");
  const second = await sell("2026-03-11T21:30:00Z");
  const third = await sell("2026-03-12T21:30:00Z");
  await system.query("update settlement.account set compared_since = '2026-03-10'");
  await take(line("SALE", first, 1_000n), line("SALE", third, 1_000n, { day: "2026-03-12" }));
  expect(await complete()).toEqual({ "2026-03-11": true, "2026-03-12": false });

  // Payments before the account's first file are in no file, and are not waited for.
  await system.query("update settlement.account set compared_since = '2026-03-13'");
  expect(await complete()).toEqual({ "2026-03-11": true, "2026-03-12": true });
  await system.query("update settlement.account set compared_since = '2026-03-10'");

  // The payment comes with another amount: the day waits for people, who close the difference.
  await take(line("SALE", second, 999n, { day: "2026-03-12" }));
  expect(await complete()).toEqual({ "2026-03-11": true, "2026-03-12": false });
  const [difference] = await system.query<{ differenceId: string }>(
    `select difference_id as "differenceId" from settlement.difference where fact_id = '${second}'`,
  );
  const { differenceId } = difference!;
  await system.operate(operations.closeDifference.command, {
    differenceId,
    decision: "NOT_OURS",
    reason: "written off",
  });
  expect(await complete()).toEqual({ "2026-03-11": true, "2026-03-12": true });

  // A line that never comes is awaited until people have closed its difference.
  const never = await sell("2026-03-11T12:00:00Z");
  expect(await complete()).toEqual({ "2026-03-11": false, "2026-03-12": false });
  await system.query(
    `insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail, state, closed_by,
       decision, reason, ended_at)
     select account_id, 'MISSING_AT_BANK', fact_id, 1000, 'TRY', 'no line', 'CLOSED', 'olga', 'ACCEPT_BANK', 'lost', now()
     from settlement.fact where fact_id = '${never}'`,
  );
  expect(await complete()).toEqual({ "2026-03-11": true, "2026-03-12": true });

  // A commission that is not known yet is open, too.
  await system.query(`update settlement.fact set commission_minor = null where fact_id = '${first}'`);
  expect(await complete()).toMatchObject({ "2026-03-11": false });
});

test("a page of statements ends where many lines were added up, and the pages together have every day once", async () => {
  const merchantId = randomUUID();
  // Two days with more lines than a page adds up, one without any, and one with few.
  const linesOf = { "2026-04-01": 10_500, "2026-04-02": 10_500, "2026-04-04": 3 };
  await system.query("set session_replication_role = replica");
  for (const [day, count] of Object.entries(linesOf))
    await system.query(
      `with made as (
         insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version,
           order_id, masked_pan, reported, verdict, commission_minor)
         select uuidv7(), '${TEST_ACCOUNT_ID}', $1, 'SALE', 'DONE', 100, 'TRY', $2::date, 1, 'o', '411111******1111', true, 'MATCHED', 2
         from generate_series(1, $3::int) returning fact_id),
       numbered as (select fact_id, row_number() over () as number from made)
       insert into settlement.line (import_id, line_no, account_id, kind, reference, reference_id, gross_minor, fee_minor, net_minor,
         currency, transacted_at, settles_on, fact_id, verdict, merchant_id)
       select (select import_id from settlement.import limit 1), 1000000 + extract(day from $2::date)::int * 100000 + number, '${TEST_ACCOUNT_ID}',
         'SALE', fact_id::text, fact_id, 100, 1, 99, 'TRY', $2::date, $2::date, fact_id, 'MATCHED', $1 from numbered`,
      [merchantId, day, count],
    );
  await system.query("reset session_replication_role");
  await system.query("analyze settlement.line");
  await system.query("analyze settlement.fact");
  const range = new URLSearchParams({ from: "2026-04-01", to: "2026-04-30", merchantId }).toString();
  const pages: { items: { day: string; lines: number }[]; nextCursor?: string }[] = [];
  for (let cursor = ""; ;) {
    const page = JSON.parse((await ask(`${range}${cursor}`)).text) as (typeof pages)[number];
    pages.push(page);
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(pages.map(({ items }) => items.map(({ day }) => day))).toEqual([
    ["2026-04-01"],
    ["2026-04-02"],
    ["2026-04-04"],
  ]);
  const all = pages.flatMap(({ items }) => items.map(({ day, lines }) => [day, lines]));
  expect(Object.fromEntries(all)).toEqual(linesOf);
  const [, ...rows] = (await ask(range, "text/csv")).text.trim().split("\r\n");
  expect(rows.at(-1)).toMatch(/^#rows,3,/);
});
