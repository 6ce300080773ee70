import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SettlementDatabase } from "../../services/settlement/src/database.ts";
import { matchImports } from "../../services/settlement/src/match/match-imports.ts";
import { startSettleCommand } from "../../services/settlement/test/settle-command.ts";
import { bankDay, PLAN, type BankDay, type Fact } from "./bank-day.ts";

let command: Awaited<ReturnType<typeof startSettleCommand>>;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  command = await startSettleCommand();
  pool = createPool({
    url: command.database.urls.settlement.app,
    connectionsMax: 4,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    // Ten thousand lines take as long as the machine needs.
    queryTimeoutMs: 0,
    settings: { statement_timeout: "0" },
    log: createLogger("test", "error"),
  });
});
afterAll(async () => {
  await pool.end();
  await command.close();
});

/** Imports a day's file for an account of its own, compares it, and returns the differences from the truth. */
async function judge(account: string, { facts, file, truth }: BankDay) {
  await command.query(
    `insert into settlement.account (account_id, settlement_days, fee_basis_points, fee_fixed_minor)
     values ($1, $2, $3, $4)`,
    [account, PLAN.settlementDays, PLAN.feeBasisPoints, PLAN.feeFixedMinor],
  );
  await storeFacts(account, facts);
  const { output } = await command.run(
    "import",
    await command.write(file),
    "--mapping",
    "generic",
    "--account",
    account,
  );
  expect(output).toContain(`${truth.lines.size} lines taken, ${truth.unreadable.size} lines with faults`);
  await command.query("update settlement.feed set complete_at = now()");
  const db = createDatabase<SettlementDatabase>(pool);
  await matchImports({ db, readNamed: () => Promise.resolve(true) }, () => false);
  const lines = await command.query<{ line_no: number; verdict: string }>(
    "select line_no, verdict from settlement.line where account_id = $1",
    [account],
  );
  const judged = await command.query<{ fact_id: string; verdict: string | null }>(
    "select fact_id, verdict from settlement.fact where account_id = $1",
    [account],
  );
  const unreadable = await command.query<{ line_no: number }>(
    "select line_no from settlement.line_fault join settlement.import using (import_id) where account_id = $1",
    [account],
  );
  expect(new Set(unreadable.map(({ line_no }) => line_no))).toEqual(truth.unreadable);
  expect(lines).toHaveLength(truth.lines.size);
  return [
    ...lines
      .filter(({ line_no, verdict }) => verdict !== truth.lines.get(line_no))
      .map(({ line_no, verdict }) => `line ${line_no} is ${verdict}, not ${truth.lines.get(line_no)}`),
    ...judged
      .filter(({ fact_id, verdict }) => verdict !== truth.facts.get(fact_id))
      .map(({ fact_id, verdict }) => `fact ${fact_id} is ${verdict}, not ${truth.facts.get(fact_id)}`),
  ];
}

async function storeFacts(account: string, facts: readonly Fact[]): Promise<void> {
  await command.query(
    `insert into settlement.fact (fact_id, account_id, parent_id, merchant_id, kind, standing, amount_minor, currency,
       occurred_at, version, order_id, masked_pan, external_transaction_id, auth_code)
     select (f->>'id')::uuid, $1, (f->>'parentId')::uuid, gen_random_uuid(), f->>'kind', f->>'standing',
       (f->>'amountMinor')::bigint, 'TRY', '2026-03-10T09:00:00Z', 1, 'order', f->>'pan', f->>'bankReference',
       f->>'authCode'
     from jsonb_array_elements($2::jsonb) as f`,
    [account, JSON.stringify(facts)],
  );
}

/** Open differences by class, each counted once. */
async function openDifferences(account: string): Promise<Record<string, number>> {
  const rows = await command.query<{ class: string; count: number }>(
    "select class, count(*)::int as count from settlement.difference where account_id = $1 and state = 'OPEN' group by 1",
    [account],
  );
  return Object.fromEntries(rows.map(({ class: name, count }) => [name, count]));
}

/** The truth's own list of lines and facts that people have to look at. */
function expectedDifferences({ truth }: BankDay): Record<string, number> {
  const counts: Record<string, number> = {};
  const count = (verdict: string | null) => {
    if (verdict !== null && verdict !== "MATCHED") counts[verdict] = (counts[verdict] ?? 0) + 1;
  };
  for (const verdict of truth.facts.values()) count(verdict);
  for (const verdict of truth.lines.values())
    if (verdict === "DUPLICATE" || verdict === "MISSING_HERE") count(verdict);
  for (const _line of truth.unreadable) count("UNREADABLE");
  return counts;
}

/**
 * The number of payments in each of the fifty files; 11 000 give ten thousand lines each, and take a quarter
 * of an hour.
 */
const PAYMENTS_OF_A_BANK = Number(process.env["BANK_FILE_PAYMENTS"] ?? 220);
const LONG_MS = 4 * 3_600_000;

test(
  "fifty banks with faults of every kind: each line and each movement is called what it is, and nothing else",
  async () => {
    const wrong: string[] = [];
    const classes = new Set<string>();
    let lines = 0;
    for (let seed = 1; seed <= 50; seed++) {
      const day = bankDay(seed, PAYMENTS_OF_A_BANK);
      lines += day.truth.lines.size;
      wrong.push(...(await judge(`seed-${seed}`, day)).map((fault) => `seed ${seed}: ${fault}`));
      expect(await openDifferences(`seed-${seed}`)).toEqual(expectedDifferences(day));
      for (const verdict of [...day.truth.lines.values(), ...day.truth.facts.values()])
        if (verdict !== null) classes.add(verdict);
    }
    expect(wrong).toEqual([]);
    expect(lines).toBeGreaterThan(10_000);
    expect([...classes].toSorted()).toEqual([
      "AMOUNT_DIFFERS",
      "DUPLICATE",
      "FEE_DIFFERS",
      "LATE",
      "MATCHED",
      "MISSING_AT_BANK",
      "MISSING_HERE",
      "STATUS_DIFFERS",
    ]);
  },
  LONG_MS,
);

test("ten thousand lines in one file are judged as in fifty", async () => {
  const day = bankDay(4_711, 11_000);
  expect(day.truth.lines.size).toBeGreaterThan(10_000);
  expect(await judge("large", day)).toEqual([]);
  expect(await openDifferences("large")).toEqual(expectedDifferences(day));
});
