import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { banks as playedBanks } from "@holdfast/sandbox/banks";
import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Violation } from "../checker/index.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import {
  actsAreUnknown,
  banksActAlone,
  payoutsAreCompared,
  secondRound,
  secondRoundsAreCases,
} from "./banks-alone.ts";
import { copiesAreFound, secondSuccessesAreFound, type SecondSuccess } from "./unexpected-lines.ts";
import type { Random } from "./random.ts";
import { banksOf, type System } from "./system/system.ts";
import { settleBy, takeFile, type BankFile } from "./take-file.ts";

type Query = <Row>(text: string) => Promise<Row[]>;

/**
 * Compares the books once everything is at rest, and banks have acted alone. Takes the banks' files of the
 * day, written from their own ledgers. Then settlement's facts have to equal the owners', each line has to
 * match, and the statements have to be the sum of the lines. The checker judges whether the owners and the
 * banks' ledgers agree.
 */
export async function booksDisagree(
  system: System,
  { random, again, log }: { random: Random; again: readonly SecondSuccess[]; log: (line: string) => void },
): Promise<Violation[]> {
  const acts = await banksActAlone(system, random);
  log(`banks acted alone: ${acts.map(({ kind, paymentId }) => `${kind} of ${paymentId}`).join(", ")}`);
  const operator = await system.operators.as("hale");
  const taken = new Set<string>();
  const files = await takeFiles(system, taken);
  const unknown = await actsAreUnknown(system, acts, operator);
  const round = await secondRound(acts, random, () => takeFiles(system, taken));
  log(`${round.again.length} chargebacks came again, ${again.length} successes stand twice`);
  const found = [
    ...files,
    ...unknown,
    ...round.found,
    ...(await secondRoundsAreCases(system, round.again)),
    ...(await secondSuccessesAreFound(system, again, operator)),
    ...(await copiesAreFound(system, operator)),
    ...(await payoutsAreCompared(system, operator)),
    ...(await compareBooks(
      system,
      again.map(({ paymentId }) => paymentId),
    )),
  ];
  return found.map((what) => ({ invariant: 0, ids: [], what }));
}

/**
 * Ends the banks' day and takes their files.
 * @param taken the files of earlier days.
 * @returns why one was not taken.
 */
export async function takeFiles(system: System, taken = new Set<string>()): Promise<string[]> {
  await Promise.all(banksOf(system).map((bank) => bank.closeBusinessDay()));
  const refused: string[] = [];
  for (const bank of await filesOf(system)) {
    if (!taken.has(bank.file)) refused.push(...(await takeFile(system, bank)));
    taken.add(bank.file);
  }
  return refused;
}

/**
 * Lists the differences, once all lines that were taken are compared.
 * @param beside payments that stand twice at the bank, and once here: they are in no total.
 */
export async function compareBooks(system: System, beside: readonly string[] = []): Promise<string[]> {
  return await withClient(system.superuserUrl, async (client) => {
    const query: Query = async <Row>(text: string) => (await client.query(text)).rows as Row[];
    await eventually(async () => (await query(NOT_COMPARED)).length === 0);
    return [
      ...(await dayTotalsDisagree(query, beside)),
      ...(await query<{ what: string }>(DIFFERENCES)).map(({ what }) => what),
      ...(await statementsDisagree(system)),
    ];
  });
}

/**
 * Compares count and sum of all movements of money, for each day, account and currency, at settlement and at the
 * owners.
 */
async function dayTotalsDisagree(query: Query, beside: readonly string[]): Promise<string[]> {
  const of = (text: string) => query<Total>(text.replaceAll("BESIDE", `'{${beside.join()}}'::uuid[]`));
  const owners = await of(TOTALS_OF_OWNERS);
  const settlement = await of(TOTALS_OF_FACTS);
  const lines = await of(TOTALS_OF_LINES);
  if (owners.length === 0) return ["nothing was paid"];
  return [...compare("facts", owners, settlement), ...compare("lines", owners, lines)];
}

type Total = { day: string; currency: string; count: number; sum: string };

function compare(name: string, owners: Total[], others: Total[]): string[] {
  const textOf = ({ day, currency, count, sum }: Total) => `${day} ${currency}: ${count} of ${sum}`;
  const [ours, theirs] = [new Set(owners.map(textOf)), new Set(others.map(textOf))];
  return [
    ...[...ours].filter((text) => !theirs.has(text)).map((text) => `of the owners' ${text} no such ${name}`),
    ...[...theirs].filter((text) => !ours.has(text)).map((text) => `${name} of ${text}, and no such owners'`),
  ];
}

const totalOf = (rows: string) => `
  select day::text, currency, count(*)::int as count, sum(minor)::text as sum from (${rows}) as moved
  group by 1, 2 order by 1, 2`;

/** A refund by a void of its payment moves no money of its own. */
const IS_VOIDED =
  "exists (select from settlement.fact as refund where refund.parent_id = fact.fact_id and voids)";

const TOTALS_OF_OWNERS = totalOf(`
  select (state_since at time zone 'UTC')::date as day, currency,
    case state when 'CAPTURED' then captured_minor else amount_minor end as minor
  from payments.payment where (state = 'CAPTURED' or state = 'SUCCESS' and transaction_type = 'PAYMENT')
    and not exists (select from refunds.refund where refund.payment_id = payment.payment_id and as_void)
    and payment_id <> all(BESIDE)
  union all
  select (state_since at time zone 'UTC')::date, currency, -amount_minor from refunds.refund
  where state = 'SUCCESS' and kind <> 'release' and not as_void and payment_id <> all(BESIDE)`);

/** A fact's payment is the fact itself, or a refund's parent. */
const IS_COUNTED = "coalesce(fact.parent_id, fact.fact_id) <> all(BESIDE)";

const TOTALS_OF_FACTS = totalOf(`
  select (occurred_at at time zone 'UTC')::date as day, currency,
    case kind when 'REFUND' then -amount_minor else amount_minor end as minor
  from settlement.fact where standing = 'DONE' and not ${IS_VOIDED} and ${IS_COUNTED}`);

/** Sums the lines of facts whose money moved: a voided one has two lines, and moved nothing. */
const TOTALS_OF_LINES = totalOf(`
  select (occurred_at at time zone 'UTC')::date as day, line.currency, sum(gross_minor) as minor
  from settlement.line join settlement.fact using (fact_id)
  where line.verdict = 'MATCHED' and fact.standing = 'DONE' and not ${IS_VOIDED} and ${IS_COUNTED}
  group by fact_id, 1, 2`);

const NOT_COMPARED = `
  select from settlement.import where state = 'TAKEN' and matched_at is null
  union all select from settlement.fact where judge`;

const DIFFERENCES = `
  select class || ' of ' || coalesce(fact_id::text, import_id || ' line ' || line_no) || ': ' || detail as what
  from settlement.difference where state = 'OPEN' order by difference_id limit 20`;

async function filesOf({ dir, acquirerUrl, banks }: System): Promise<BankFile[]> {
  const store = async (name: string, url: string) => {
    const file = join(dir, `day-${name}`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
    await writeFile(file, await answer.bytes());
    return file;
  };
  const files: BankFile[] = [];
  const acquirer = { name: "sim", url: acquirerUrl, accountId: TEST_ACCOUNT_ID, mapping: "generic" };
  for (const { name, url, accountId, mapping } of [
    acquirer,
    ...banks.map((bank) => ({ ...bank, mapping: playedBanks[bank.name].mapping })),
  ]) {
    const answer = await fetch(`${url}/settlements`, { signal: AbortSignal.timeout(60_000) });
    const { settlements } = (await answer.json()) as { settlements: string[] };
    for (const each of settlements)
      files.push({ file: await store(`${name}-${each}`, `${url}/settlements/${each}`), accountId, mapping });
  }
  return files;
}

async function statementsDisagree({ settlementOwnerUrl }: System): Promise<string[]> {
  const [from, to] = [-2, DAYS_AHEAD].map((days) =>
    new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10),
  );
  const { code, output } = await settleBy(settlementOwnerUrl, ["check", "--from", from!, "--to", to!]);
  return code === 0 ? [] : [output];
}

/** The days of the second round, and those until a bank pays. */
const DAYS_AHEAD = 10;
const DAY_MS = 86_400_000;
