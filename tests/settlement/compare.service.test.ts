import { afterAll, beforeAll, expect, test } from "vitest";
import { importIdIn } from "../../services/settlement/test/settle-command.ts";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
beforeAll(async () => {
  system = await startSettlementHarness({
    envOf: { settlement: { FACT_ASK_INTERVAL: "1h", FACT_ASK_FIRST: "1h", MATCH_INTERVAL: "50ms" } },
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

test("a capture that nobody has asked about yet is asked about because a line names it", async () => {
  const paymentId = await system.authorize("10000");
  await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "OPEN" }));
  await system.capture(paymentId, "60.00");
  expect(await take(line("CAPTURE", `${paymentId}:capture`, 6_000n))).toEqual(["MATCHED"]);
});

test("what the stream has lost is asked for, of payments and of refunds", async () => {
  const paymentId = await system.sell("10000");
  const refundId = await system.refund(paymentId, "4000");
  await eventually(async () => expect(await system.fact(refundId)).toBeDefined());
  await system.query("delete from settlement.fact where fact_id in ($1, $2)", [paymentId, refundId]);
  expect(await take(line("SALE", paymentId, 10_000n), line("REFUND", refundId, -4_000n))).toEqual([
    "MATCHED",
    "MATCHED",
  ]);
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
    // As the event of a payment that is reversed after its day's end.
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
