import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importIdIn } from "../../services/settlement/test/settle-command.ts";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
beforeAll(async () => {
  system = await startSettlementHarness({
    envOf: { settlement: { FEED_INTERVAL: "50ms", MATCH_INTERVAL: "50ms" } },
  });
});
afterAll(() => system.close());

const line = (kind: string, reference: string, minor: bigint) =>
  genericLine({
    kind,
    reference,
    bank_reference: `b-${reference}-${kind}`,
    card: "411111******1111",
    gross: decimalText(minor),
    transacted_at: new Date().toISOString().slice(0, 19),
    settles_on: new Date().toISOString().slice(0, 10),
    payout_id: "p",
  });

/** Takes a file of these lines. @returns its verdicts once they have been compared. */
async function take(...lines: string[]): Promise<string[]> {
  const { code, output } = await system.bankFiles.take(...lines);
  expect(code).toBe(0);
  const importId = importIdIn(output);
  await eventually(async () => {
    const [row] = await system.query("select matched_at from settlement.import where import_id = $1", [
      importId,
    ]);
    return row!["matched_at"] !== null;
  });
  const rows = await system.query<{ verdict: string }>(
    "select verdict from settlement.line where import_id = $1 order by line_no",
    [importId],
  );
  return rows.map(({ verdict }) => verdict);
}

test("a capture, a sale and a refund of this moment are known to the lines that name them", async () => {
  const [paymentId, sale] = [await system.authorize("10000"), await system.sell("10000")];
  const refundId = await system.refund(sale, "4000");
  await system.capture(paymentId, "60.00");
  const lines = [
    line("CAPTURE", `${paymentId}:capture`, 6_000n),
    line("SALE", sale, 10_000n),
    line("REFUND", refundId, -4_000n),
  ];
  expect(await take(...lines)).toEqual(["MATCHED", "MATCHED", "MATCHED"]);
});

test("a payment whose outcome is unknown is no stranger to a line that names it, and agrees once it is known", async () => {
  const paymentId = await system.sell("4711");
  await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
  const copies = [randomUUIDv7(), randomUUIDv7()];
  // The feed begins with the outcome.
  for (const copy of copies)
    await system.query(
      "insert into payments.payment select (jsonb_populate_record(payment, $2)).* from payments.payment where payment_id = $1",
      [paymentId, JSON.stringify({ payment_id: copy, order_id: copy, state: "AUTHORIZING", version: 1 })],
    );
  const [reported, other] = copies;
  expect(await take(line("SALE", reported!, 4_711n))).toEqual(["STATUS_DIFFERS"]);
  expect(await system.fact(other!)).toBeUndefined();
  await system.query(
    `with changed as (update payments.payment set state = 'SUCCESS', version = 2 where payment_id = $1 returning payment_id)
     insert into payments.payment_history (payment_id, version, to_state, cause) select payment_id, 2, 'SUCCESS', 'test' from changed`,
    [reported],
  );
  await eventually(async () =>
    expect(
      await system.query(
        `select verdict, (select state from settlement.difference where difference.fact_id = fact.fact_id) as difference
         from settlement.fact where fact_id = $1`,
        [reported],
      ),
    ).toEqual([{ verdict: "MATCHED", difference: "RESOLVED" }]),
  );
});

test("a line that nobody of us knows is a difference; a payment that is voided afterwards becomes one", async () => {
  const unknown = "0199aaaa-0000-7000-8000-00000000abcd";
  const paymentId = await system.sell("777");
  expect(await take(line("SALE", unknown, 500n), line("SALE", paymentId, 777n))).toEqual([
    "MISSING_HERE",
    "MATCHED",
  ]);
  await system.cancel(paymentId);
  await eventually(async () =>
    expect(
      await system.query(
        "select class, state, amount_minor::text from settlement.difference where fact_id = $1",
        [paymentId],
      ),
    ).toEqual([{ class: "STATUS_DIFFERS", state: "OPEN", amount_minor: "777" }]),
  );
});

test.each([
  ["before it is known that nothing came of it", 4_321n, false],
  ["afterwards", 4_321n, true],
  ["afterwards, where the bank had approved a part", 1_234n, true],
])(
  "a sale that the bank gives back by a refund of its own agrees with FAILED, reported %s",
  async (_, taken, first) => {
    const paymentId = await system.sell("4321");
    await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
    // Fails the payment as a reversal after its day's end would.
    const fail = () =>
      system.query("update settlement.fact set standing = 'NOT_DONE', judge = reported where fact_id = $1", [
        paymentId,
      ]);
    if (first) await fail();
    const lines = [line("SALE", paymentId, taken), line("REFUND", `${paymentId}:reversal`, -taken)];
    const verdicts = await take(...lines);
    if (first) expect(verdicts).toEqual(["MATCHED", "MATCHED"]);
    else {
      expect(verdicts).toEqual(["MATCHED", "MISSING_HERE"]);
      await fail();
    }
    await eventually(async () =>
      expect(
        await system.query(
          `select line.kind, line.verdict, difference.state from settlement.line
         left join settlement.difference using (import_id, line_no) where reference_id = $1 order by line_no`,
          [paymentId],
        ),
      ).toEqual([
        { kind: "SALE", verdict: "MATCHED", state: null },
        { kind: "REFUND", verdict: "MATCHED", state: first ? null : "RESOLVED" },
      ]),
    );
  },
);

const refundsIn = async (state: string, refundIds: string[]) =>
  (
    await system.query("select from refunds.refund where state = $1 and refund_id = any($2)", [
      state,
      refundIds,
    ])
  ).length;

test("a sale that its refund has voided agrees with a void at the bank, and is not missing there", async () => {
  const [reported, unreported] = [await system.sell("888"), await system.sell("888")];
  const refundIds = [await system.refund(reported, "888"), await system.refund(unreported, "888")];
  await eventually(async () => (await refundsIn("SUCCESS", refundIds)) === 2);
  // Some banks void a sale that is refunded on its day.
  await system.query(
    `with voiding as (
       update refunds.refund set as_void = true, version = version + 1 where refund_id = any($1) returning refund_id, version)
     insert into refunds.refund_history (refund_id, version, from_state, to_state, cause)
     select refund_id, version, 'SETTLING', 'SUCCESS', 'test' from voiding`,
    [refundIds],
  );
  for (const refundId of refundIds)
    await eventually(async () => expect(await system.fact(refundId)).toMatchObject({ standing: "NOT_DONE" }));
  await system.query(
    "update settlement.fact set occurred_at = now() - interval '9 days' where fact_id = any($1)",
    [[reported, unreported]],
  );
  await system.query(
    `update settlement.account set compared_since = now() - interval '20 days' where account_id = '${TEST_ACCOUNT_ID}'`,
  );
  expect(await take(line("SALE", reported, 888n), line("VOID", reported, -888n))).toEqual([
    "MATCHED",
    "MATCHED",
  ]);
  expect(
    await system.query("select class from settlement.difference where fact_id = any($1)", [
      [reported, unreported, ...refundIds],
    ]),
  ).toEqual([]);
});

describe("a line of a refund under its payment's reference", () => {
  const reference = (bankReference: string, paymentId: string, minor = -2_000n) =>
    line("REFUND", paymentId, minor).replace(`b-${paymentId}-REFUND`, bankReference);
  const withTwoRefunds = async () => {
    const paymentId = await system.sell("10000");
    const refundIds = [await system.refund(paymentId, "2000"), await system.refund(paymentId, "2000")];
    for (const refundId of refundIds)
      await eventually(async () => expect(await system.fact(refundId)).toMatchObject({ standing: "DONE" }));
    return { paymentId, refundIds };
  };
  const reportedOf = async (factIds: string[]) =>
    (
      await system.query<{ reported: boolean }>(
        "select reported from settlement.fact where fact_id = any($1) order by occurred_at",
        [factIds],
      )
    ).map(({ reported }) => reported);

  test("is a copy in the next day's file, and not the payment's other refund", async () => {
    const { paymentId, refundIds } = await withTwoRefunds();
    expect(await take(line("SALE", paymentId, 10_000n), reference("R1", paymentId))).toEqual([
      "MATCHED",
      "MATCHED",
    ]);
    expect(await take(reference("R1", paymentId), reference("R1", paymentId, -1_999n))).toEqual([
      "DUPLICATE",
      "DUPLICATE",
    ]);
    expect(await reportedOf(refundIds)).toEqual([true, false]);
    expect(await take(reference("R2", paymentId))).toEqual(["MATCHED"]);
    expect(await reportedOf(refundIds)).toEqual([true, true]);
  });

  test("is a copy in the same file", async () => {
    const { paymentId, refundIds } = await withTwoRefunds();
    expect(await take(...["R1", "R1", "R2", "R2"].map((name) => reference(name, paymentId)))).toEqual([
      "MATCHED",
      "DUPLICATE",
      "MATCHED",
      "DUPLICATE",
    ]);
    expect(await reportedOf(refundIds)).toEqual([true, true]);
  });

  test("is no copy where the bank names each refund by its payment", async () => {
    const { paymentId, refundIds } = await withTwoRefunds();
    const [row] = await system.query<{ name: string }>(
      "select external_transaction_id as name from settlement.fact where fact_id = $1",
      [paymentId],
    );
    const lines = [reference(row!.name, paymentId), reference(row!.name, paymentId)];
    expect(await take(...lines)).toEqual(["MATCHED", "MATCHED"]);
    expect(await reportedOf(refundIds)).toEqual([true, true]);
  });

  test("is a copy there in the next day's file, where another one would say something else", async () => {
    const { paymentId, refundIds } = await withTwoRefunds();
    const [row] = await system.query<{ name: string }>(
      "select external_transaction_id as name from settlement.fact where fact_id = $1",
      [paymentId],
    );
    const first = reference(row!.name, paymentId);
    expect(await take(first)).toEqual(["MATCHED"]);
    expect(await take(first, line("FEE", "", -10n))).toEqual(["DUPLICATE", "NOT_COMPARED"]);
    expect(await reportedOf(refundIds)).toEqual([true, false]);
    expect(await take(first.replace(/,p$/, ",p-2"))).toEqual(["MATCHED"]);
    expect(await reportedOf(refundIds)).toEqual([true, true]);
  });

  test("without a name is a copy in the next day's file, too, and not the payment's other refund", async () => {
    const { paymentId, refundIds } = await withTwoRefunds();
    const first = reference("", paymentId);
    expect(await take(first)).toEqual(["MATCHED"]);
    const other = first.replace(/T\d\d:\d\d:\d\d/, "T00:00:00");
    expect(await take(first, other)).toEqual(["DUPLICATE", "MATCHED"]);
    expect(await reportedOf(refundIds)).toEqual([true, true]);
  });

  test("without a name is the other refund beside an equal line in the same file", async () => {
    const { paymentId, refundIds } = await withTwoRefunds();
    expect(await take(reference("", paymentId), reference("", paymentId))).toEqual(["MATCHED", "MATCHED"]);
    expect(await reportedOf(refundIds)).toEqual([true, true]);
  });

  test("is a copy of a line that names no refund of ours, too", async () => {
    const paymentId = await system.sell("10000");
    const unknown = reference("R1", paymentId);
    expect(await take(unknown, unknown)).toEqual(["MISSING_HERE", "DUPLICATE"]);
    expect(await take(unknown, reference("R2", paymentId))).toEqual(["DUPLICATE", "MISSING_HERE"]);
  });

  test("reports the refund that may be under way, and none that waits for people", async () => {
    const paymentId = await system.sell("10000");
    const [waiting, underWay] = [
      await system.request(paymentId, "2000"),
      await system.refund(paymentId, "2000"),
    ];
    await eventually(async () => expect(await system.fact(underWay)).toMatchObject({ standing: "DONE" }));
    await eventually(async () => expect(await system.fact(waiting)).toMatchObject({ standing: "NOT_DONE" }));
    await eventually(async () => (await refundsIn("SUCCESS", [underWay])) === 1);
    await system.query("update settlement.fact set standing = 'OPEN', version = 99 where fact_id = $1", [
      underWay,
    ]);
    expect(await take(reference("R1", paymentId))).toEqual(["STATUS_DIFFERS"]);
    await system.query("update settlement.fact set standing = 'DONE', judge = true where fact_id = $1", [
      underWay,
    ]);
    await eventually(async () =>
      expect(
        await system.query("select verdict from settlement.line where fact_id = $1", [underWay]),
      ).toEqual([{ verdict: "MATCHED" }]),
    );
  });
});

test("a line that could report two payments names neither, also when another line reports one of them", async () => {
  const payments = [await system.sell("5678"), await system.sell("5678")];
  for (const paymentId of payments)
    await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
  await system.query("update settlement.fact set auth_code = 'TWICE' where fact_id = any($1)", [payments]);
  const { masked_pan } = (
    await system.query<{ masked_pan: string }>("select masked_pan from settlement.fact where fact_id = $1", [
      payments[0],
    ])
  )[0]!;
  const transacted_at = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 19);
  const byCode = genericLine({
    reference: "",
    auth_code: "TWICE",
    card: masked_pan,
    gross: "56.78",
    transacted_at,
  });
  expect(await take(byCode)).toEqual(["MISSING_HERE"]);
  expect(await take(line("SALE", payments[0]!, 5_678n), byCode)).toEqual(["MATCHED", "MISSING_HERE"]);
});
