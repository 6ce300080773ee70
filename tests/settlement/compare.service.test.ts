import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importIdIn } from "../../services/settlement/test/settle-command.ts";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually } from "../support/index.ts";
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
    // As a payment that is reversed after its day's end.
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
