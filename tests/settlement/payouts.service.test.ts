import { randomUUID } from "node:crypto";
import { operations, type Difference } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** The bank's statement (camt.053) against the lines that each of its payouts pays. */

let system: SettlementHarness;
beforeAll(async () => {
  system = await startSettlementHarness({ envOf: { settlement: { MATCH_INTERVAL: "50ms" } } });
  await system.query("update settlement.account set settlement_days = 400");
});
afterAll(() => system.close());

type Lined = { gross: bigint; fee?: bigint; kind?: string; day?: string; reference?: string };

const line = (payoutId: string, { gross, fee = 0n, kind = "SALE", day = "2026-03-11", reference }: Lined) =>
  genericLine({
    kind,
    reference: reference ?? randomUUID(),
    bank_reference: `b-${reference ?? randomUUID()}`,
    gross: decimalText(gross),
    fee: decimalText(fee),
    net: decimalText(gross - fee),
    settles_on: day,
    payout_id: payoutId,
  });

type Entry = { id?: string; amount: string; direction?: "CRDT" | "DBIT"; day?: string; currency?: string };

function entry({ id, amount, direction = "CRDT", day = "2026-03-11", currency = "TRY" }: Entry): string {
  const reference =
    id === undefined
      ? ""
      : `<NtryDtls><TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs></TxDtls></NtryDtls>`;
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <ValDt><Dt>${day}</Dt></ValDt>${reference}</Ntry>`;
}

async function pay(...entries: string[]): Promise<void> {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>${randomUUID()}</Id>
    ${entries.join("\n")}</Stmt></BkToCstmrStmt></Document>`;
  const file = await system.bankFiles.write(xml);
  expect(await system.bankFiles.run("import", file, "--mapping", "camt.053")).toMatchObject({ code: 0 });
  await compared();
}

async function take(...lines: string[]): Promise<void> {
  expect(await system.bankFiles.take(...lines)).toMatchObject({ code: 0 });
  await compared();
}

async function compared(): Promise<void> {
  await eventually(async () => {
    const waiting = `select from settlement.import where matched_at is null
      union all select from settlement.payout where judge`;
    expect(await system.query(waiting)).toEqual([]);
  });
}

async function about(payoutId: string): Promise<Partial<Difference>[]> {
  const found: Difference[] = [];
  for (const state of ["OPEN", "RESOLVED", "CLOSED"] as const) {
    const reply = await system.operate(operations.listDifferences.command, { limit: 200, state });
    if (!("result" in reply)) throw new Error(JSON.stringify(reply));
    found.push(...reply.result.items.filter((each) => each.payoutId === payoutId));
  }
  return found.map(({ class: kind, state, amount, currency, ours, theirs, detail }) => ({
    class: kind,
    state,
    amount,
    currency,
    ...(ours && { ours }),
    ...(theirs && { theirs }),
    detail,
  }));
}

const differing = async (payoutId: string) =>
  (await about(payoutId)).filter((each) => each.class === "PAYOUT_DIFFERS");

test("a payout pays the net sum of its lines, from all files and of every kind, and copies are no part of it", async () => {
  const paymentId = await system.sell("10000");
  const sale = line("P-1", { gross: 10_000n, fee: 179n, reference: paymentId });
  await take(
    sale,
    line("P-1", { gross: -2_000n, kind: "REFUND" }),
    line("P-1", { gross: -50n, kind: "FEE" }),
  );
  await pay(entry({ id: "P-1", amount: "80.00" }));
  expect(await about("P-1")).toEqual([
    {
      class: "PAYOUT_DIFFERS",
      state: "OPEN",
      amount: 2.29,
      currency: "TRY",
      ours: { amount: 77.71, currency: "TRY" },
      theirs: { amount: 80, currency: "TRY" },
      detail: "3 lines name the payout, which has another amount",
    },
  ]);
  // The rest of the payout's lines come in the next file, which repeats one of them.
  await take(sale, line("P-1", { gross: 229n }));
  expect(await about("P-1")).toMatchObject([{ class: "PAYOUT_DIFFERS", state: "RESOLVED" }]);
});

test("a payout that is short is a difference with the amount, until the rest comes", async () => {
  await take(line("P-2", { gross: 10_000n }), line("P-2", { gross: 500n }));
  await pay(entry({ id: "P-2", amount: "100.00" }));
  expect(await differing("P-2")).toMatchObject([{ class: "PAYOUT_DIFFERS", state: "OPEN", amount: 5 }]);
  await pay(entry({ id: "P-2", amount: "4.00" }));
  expect(await differing("P-2")).toMatchObject([
    { state: "OPEN", amount: 1 },
    { state: "RESOLVED", amount: 5 },
  ]);
  await pay(entry({ id: "P-2", amount: "1.00" }), entry({ id: "another", amount: "1.00" }));
  expect((await differing("P-2")).map(({ state }) => state)).toEqual(["RESOLVED", "RESOLVED"]);
});

test("a payout that does not come in time is a difference, also one in another currency than its lines", async () => {
  await take(line("P-3", { gross: 700n }), line("P-4", { gross: 800n, day: "2026-03-12" }));
  await pay(entry({ id: "P-4", amount: "8.00", currency: "EUR", day: "2026-03-12" }));
  expect(await about("P-3")).toMatchObject([{ class: "PAYOUT_MISSING", state: "OPEN", amount: 7 }]);
  expect(await about("P-4")).toMatchObject([
    { class: "PAYOUT_MISSING", amount: 8, currency: "TRY" },
    { class: "PAYOUT_DIFFERS", amount: 8, currency: "EUR" },
  ]);
  await pay(entry({ id: "P-3", amount: "7.00" }));
  expect(await about("P-3")).toMatchObject([{ class: "PAYOUT_MISSING", state: "RESOLVED" }]);
});

test("what may still come is no difference, and what is before the first payout is never expected", async () => {
  const today = new Date().toISOString().slice(0, 10);
  await take(line("P-5", { gross: 900n, day: today }), line("P-6", { gross: 900n, day: "2026-01-02" }));
  await pay(entry({ id: "P-7", amount: "3.00", day: today }));
  for (const payout of ["P-5", "P-6", "P-7"]) expect(await about(payout)).toEqual([]);
  // The payout's time has passed.
  await system.query("update settlement.account set payout_days = 0");
  await system.query(
    "update settlement.line set settles_on = settles_on - 2 where payout_id in ('P-5', 'P-7')",
  );
  await system.query("update settlement.payout set due_on = due_on - 2 where payout_id in ('P-5', 'P-7')");
  await eventually(async () => {
    expect(await about("P-5")).toMatchObject([{ class: "PAYOUT_MISSING", amount: 9 }]);
    expect(await about("P-7")).toMatchObject([
      { class: "PAYOUT_DIFFERS", amount: 3, detail: "no line names the payout" },
    ]);
  });
});

test("payouts without an id are each of their own, and each is a difference", async () => {
  await pay(entry({ amount: "5.00" }), entry({ amount: "6.00", direction: "DBIT" }));
  const rows = await system.query<{ amount: string }>(
    `select amount_minor::text as amount from settlement.difference
     where class = 'PAYOUT_DIFFERS' and payout_id like '%-%-%:%' and state = 'OPEN' order by 1`,
  );
  expect(rows).toEqual([{ amount: "500" }, { amount: "600" }]);
});

test("people close it with a word on the money, and it is not opened again while it stays the same", async () => {
  await take(line("P-8", { gross: 1_000n }));
  await pay(entry({ id: "P-8", amount: "9.00" }));
  const [row] = await system.query<{ differenceId: string }>(
    `select difference_id as "differenceId" from settlement.difference where payout_id = 'P-8' and state = 'OPEN'`,
  );
  const closing = { ...row!, decision: "ACCEPT_BANK", reason: "their transfer fee" } as const;
  expect(await system.operate(operations.closeDifference.command, closing)).toMatchObject({
    result: { state: "CLOSED", payoutId: "P-8", decision: "ACCEPT_BANK" },
  });
  await system.query("update settlement.payout set judge = true where payout_id = 'P-8'");
  await compared();
  expect(await differing("P-8")).toMatchObject([{ state: "CLOSED", amount: 1 }]);
  // Another amount is another difference.
  await take(line("P-8", { gross: 1n }));
  expect(await differing("P-8")).toMatchObject([
    { state: "OPEN", amount: 1.01 },
    { state: "CLOSED", amount: 1 },
  ]);
});

test("an entry that cannot be read delays no merchant, and counts as a payout once a person has read it", async () => {
  await take(line("P-9", { gross: 4_200n }));
  await pay(entry({ id: "P-9", amount: "40.00" }), entry({ amount: "2.00" }).replace("CRDT", "?"));
  const [unread] = await system.query<{ differenceId: string; amount: string; day: string | null }>(
    `select difference_id as "differenceId", amount_minor::text as amount, first_day as day from settlement.difference
     where class = 'UNREADABLE' and state = 'OPEN'`,
  );
  expect(unread).toMatchObject({ amount: "200", day: null });
  const closing = {
    differenceId: unread!.differenceId,
    decision: "ACCEPT_BANK",
    reason: "it is the rest",
    line: { amount: "2.00", day: "2026-03-11" },
  } as const;
  expect(await system.operate(operations.closeDifference.command, closing)).toMatchObject({
    result: { state: "CLOSED", acceptedAmount: 2 },
  });
});
