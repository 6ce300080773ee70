import { expect, test } from "vitest";
import { genericLine, GENERIC_HEADER, readWhole, shippedMapping } from "../../test/written-file.ts";

const ID = "0199aaaa-0000-7000-8000-000000000001";
const CELLS = {
  kind: "SALE",
  reference: `${ID}:1`,
  gross: "-60.00",
  settles_on: "2026-03-11",
  payout_id: "P-1",
};
const whole = {
  kind: "SALE" as string | undefined,
  referenceId: ID,
  payoutId: "P-1",
  day: "2026-03-11",
  currency: "TRY",
  stakeMinor: 6_000n,
  grossMinor: -6_000n,
};

test.each([
  ["a kind that the mapping does not know", { kind: "GIFT" }, { ...whole, kind: undefined }],
  [
    "an unknown currency, without which an amount says nothing",
    { currency: "ZZZ" },
    { ...whole, currency: undefined, stakeMinor: undefined, grossMinor: undefined },
  ],
  ["no amount", { gross: "60 kr" }, { ...whole, stakeMinor: undefined, grossMinor: undefined }],
  [
    "no day of settlement, and no amount: the day of the movement is left",
    { settles_on: "soon", gross: "60 kr" },
    { ...whole, day: "2026-03-10", stakeMinor: undefined, grossMinor: undefined },
  ],
])("a line that cannot be read keeps its other parts: %s", async (_, change, read) => {
  const content = [GENERIC_HEADER, genericLine(), genericLine({ ...CELLS, ...change })].join("\n");
  const { faults } = await readWhole(await shippedMapping("generic"), Buffer.from(content));
  const known = Object.fromEntries(Object.entries(read).filter(([, part]) => part !== undefined));
  expect(faults).toEqual([{ lineNo: 3, reason: expect.any(String) as string, read: known }]);
});

test("an amount whose sign the kind decides has none without the kind", async () => {
  const columns =
    "transactionDate,transactionStatus,paymentTxId,conversationId,paymentGid,paidPrice,iyziCommissionRate,iyziCommissionFee,settlementPriceTRY,settlementCurrency,settlementReferenceCode,settlementResolveDate,totalMerchantPayoutAmount";
  const item = (status: string) =>
    `2026-11-20 13:00:00,${status},1,${ID},1,10.00,0.20,0.10,9.70,TRY,S-1,2026-11-23 00:00:00,`;
  const content = [columns, item("PAYMENT"), item("GIFT"), "TOTAL,,,,,,,,,,,,9.70"].join("\n");
  const { faults } = await readWhole(await shippedMapping("iyzico"), Buffer.from(content));
  expect(faults).toEqual([
    {
      lineNo: 3,
      reason: "kind: not in the mapping",
      read: expect.objectContaining({ stakeMinor: 1_000n, day: "2026-11-23" }) as object,
    },
  ]);
  expect(faults[0]!.read).not.toHaveProperty("grossMinor");
});
