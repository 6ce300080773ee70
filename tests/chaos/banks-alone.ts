import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { traitsOf } from "../support/bank-faults.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import type { OperatorClient } from "./client/operator-client.ts";
import { linesOfPayment, panelOrderOf } from "./lines-of-payment.ts";
import { postToBank } from "./post-to-bank.ts";
import type { Random } from "./random.ts";
import type { System } from "./system/system.ts";
import { takeFile } from "./take-file.ts";

/** A refund in a bank's panel, or a dispute: no call of ours has made it, and the file of the day reports it. */
export type ActOfBank = { paymentId: string; kind: "REFUND" | "CHARGEBACK"; bank: Bank; order: string };

type Bank = { url: string; accountId: string };
type Payment = { paymentId: string; name: string };

/**
 * Makes banks act by themselves once everything is idle: they refund parts in their panels, and take
 * chargebacks, which only their files report.
 */
export async function banksActAlone(system: System, random: Random): Promise<ActOfBank[]> {
  const acts: ActOfBank[] = [];
  for (const { kinds, orderOf, ...bank } of banksOf(system)) {
    const payments = await untouchedAt(system, bank);
    for (const kind of kinds) {
      for (let count = random.integer(1, ACTS_MAX); count > 0 && payments.length > 0; count--) {
        const [payment] = payments.splice(random.integer(0, payments.length - 1), 1);
        if (!payment) continue;
        const order = await orderOf(payment);
        if (order === undefined) throw new Error(`no order of ${payment.paymentId} at ${bank.url}`);
        const act = { paymentId: payment.paymentId, kind, bank, order };
        if (await make(act)) acts.push(act);
      }
    }
  }
  return acts;
}

const ACTS_MAX = 3;

type PlannedActs = Bank & {
  orderOf: (payment: Payment) => string | undefined | Promise<string | undefined>;
  kinds: readonly ActOfBank["kind"][];
};

/** The acquirer's file has no refund of another's reference, and a bank's own file may have no chargeback. */
function banksOf({ acquirerUrl, banks }: System): PlannedActs[] {
  const acquirer: PlannedActs = {
    url: acquirerUrl,
    accountId: TEST_ACCOUNT_ID,
    orderOf: ({ paymentId }) => paymentId,
    kinds: ["CHARGEBACK"],
  };
  const others = banks.map(({ name, url, accountId }): PlannedActs => {
    const bank = { url, accountId };
    return {
      ...bank,
      orderOf: async (payment) => {
        const lines = await linesOfPayment(bank, payment.paymentId);
        const line = lines.find(({ transactionId }) => transactionId === payment.name) ?? lines[0];
        return line && panelOrderOf(line);
      },
      kinds: traitsOf(name).hidesDisputes ? ["REFUND"] : ["REFUND", "CHARGEBACK"],
    };
  });
  return [acquirer, ...others];
}

/** Payments in liras of which enough is left. */
async function untouchedAt({ superuserUrl }: System, { accountId }: Bank): Promise<Payment[]> {
  const text = `
    select payment_id as "paymentId", external_transaction_id as name from payments.payment
    where account_id = $1 and currency = 'TRY' and reserved_minor = 0
      and charged_back_minor = 0
      and case when state = 'CAPTURED' then captured_minor
        when state = 'SUCCESS' and transaction_type = 'PAYMENT' then amount_minor else 0 end - refunded_minor > $2
      and not exists (select from payments.chargeback where chargeback.payment_id = payment.payment_id)
    order by payment_id`;
  return await withClient(
    superuserUrl,
    async (client) => (await client.query<Payment>(text, [accountId, AMOUNT_MINOR])).rows,
  );
}

const AMOUNT_MINOR = 100;

/** @returns false if the bank's own rules refuse it. */
async function make(
  { bank: { url }, kind, order }: ActOfBank,
  how?: { kind: "reversal" | "chargeback" },
): Promise<boolean> {
  const path = kind === "REFUND" ? "/panel/refunds" : "/disputes";
  return await postToBank(`${url}${path}`, { order, amountMinor: AMOUNT_MINOR, ...how });
}

/** Half of the chargebacks are given back a day later, and come again on the day after, as in arbitration. */
export async function secondRound(
  acts: readonly ActOfBank[],
  random: Random,
  takeFiles: () => Promise<string[]>,
): Promise<{ again: ActOfBank[]; found: string[] }> {
  const again = acts.filter(({ kind }) => kind === "CHARGEBACK" && random.chance(0.5));
  const found: string[] = [];
  for (const kind of ["reversal", "chargeback"] as const) {
    for (const url of new Set(again.map(({ bank }) => bank.url)))
      await postToBank(`${url}/clock`, { advanceSeconds: 86_400 });
    for (const act of again) await make(act, { kind });
    found.push(...(await takeFiles()));
  }
  return { again, found };
}

/** A chargeback that came again is a case of its own beside the first, which was given back. */
export async function secondRoundsAreCases(
  { superuserUrl }: System,
  again: readonly ActOfBank[],
): Promise<string[]> {
  return await withClient(superuserUrl, async (client) => {
    const casesOf = async ({ paymentId }: ActOfBank) =>
      (await client.query<{ state: string }>(CASES, [paymentId])).rows.map(({ state }) => state).join(", ");
    const wrong = async () => {
      const cases = await Promise.all(again.map(async (act) => [act.paymentId, await casesOf(act)] as const));
      return cases.filter(([, states]) => states !== "WON, OPEN");
    };
    await eventually(async () => (await wrong()).length === 0, { everyMs: 500 }).catch(() => undefined);
    return (await wrong()).map(([paymentId, states]) => `a second chargeback of ${paymentId}: ${states}`);
  });
}

const CASES = `
  select status as state from payments.chargeback where payment_id = $1 and kind = 'CHARGEBACK'
  order by created_at, chargeback_id`;

/**
 * Expects each chargeback to be a case of its payment, once the files are imported, and each refund in a
 * panel to be a difference, which an operator closes in the bank's favour.
 */
export async function actsAreUnknown(
  { superuserUrl }: System,
  acts: readonly ActOfBank[],
  operator: OperatorClient,
): Promise<string[]> {
  return await withClient(superuserUrl, async (client) => {
    const isCase = async ({ paymentId, kind }: ActOfBank) => {
      const { rowCount } = await client.query(LINE_OF_CASE, [paymentId, kind, AMOUNT_MINOR]);
      return rowCount === 1;
    };
    const unknown = async () => {
      const known: boolean[] = [];
      for (const act of acts) known.push(await isCase(act));
      return acts.filter((_, index) => !known[index]);
    };
    // The list says which are missing.
    await eventually(async () => (await unknown()).length === 0, { everyMs: 500 }).catch(() => undefined);
    const missing = (await unknown()).map(({ paymentId, kind }) => `${kind} of ${paymentId} is no case`);
    for (const { paymentId, kind } of acts) {
      if (kind !== "REFUND") continue;
      const { rows } = await client.query<{ id: string }>(DIFFERENCE_OF_LINE, [paymentId]);
      if (rows.length !== 1) missing.push(`${rows.length} differences of the panel's refund of ${paymentId}`);
      for (const { id } of rows) missing.push(...(await close(operator, id)));
    }
    return missing;
  });
}

const LINE_OF_CASE =
  "select from payments.chargeback_line where payment_id = $1 and kind = $2 and amount_minor = $3";

const DIFFERENCE_OF_LINE = `
  select difference_id as id from settlement.difference join settlement.line using (import_id, line_no)
  where (line.reference_id = $1
      or line.bank_reference = (select external_transaction_id from settlement.fact where fact_id = $1))
    and line.kind = 'REFUND' and class = 'MISSING_HERE' and state = 'OPEN'`;

/** @returns why it was not closed. */
export async function close(
  operator: OperatorClient,
  differenceId: string,
  decision: "ACCEPT_BANK" | "NOT_OURS" = "ACCEPT_BANK",
): Promise<string[]> {
  const { status } = await operator.change({
    action: "difference.closed",
    method: "POST",
    path: `/operator/differences/${differenceId}/close`,
    body: { decision, reason: "The bank wrote so." },
    subject: differenceId,
  });
  return status === 200 ? [] : [`difference ${differenceId} was closed with ${status}`];
}

/**
 * Imports the statements of the banks' payouts since their last start. A payout that is short by a major unit
 * is a difference of that unit, and a complete one is no difference.
 */
export async function payoutsAreCompared(system: System, operator: OperatorClient): Promise<string[]> {
  const found: string[] = [];
  const acquirer = { name: "acquirer", url: system.acquirerUrl, accountId: TEST_ACCOUNT_ID, isShort: false };
  const others = system.banks.map((bank) => ({ ...bank, isShort: bank.habits?.payouts === "short" }));
  for (const { name, url, accountId, isShort } of [acquirer, ...others]) {
    const answer = await fetch(`${url}/payouts`, { signal: AbortSignal.timeout(60_000) });
    const statement = await answer.text();
    const entries = [...statement.matchAll(/<Ntry><Amt Ccy="(\w+)">.*?<EndToEndId>([^<]*)</g)];
    if (entries.length === 0) continue;
    const file = join(system.dir, `payouts-${name}`);
    await writeFile(file, statement);
    found.push(...(await takeFile(system, { file, accountId, mapping: "camt.053" })));
    const payouts = await judgedPayouts(system, accountId);
    for (const [, currency = "", id = ""] of entries) {
      const { verdict, stake, difference } = payouts.get(`${id} ${currency}`) ?? {};
      const isRight = isShort ? verdict === "PAYOUT_DIFFERS" && stake === "100" : verdict === "MATCHED";
      if (!isRight) found.push(`${name}'s payout ${id} ${currency}, short ${isShort}: ${verdict} ${stake}`);
      if (difference) found.push(...(await close(operator, difference)));
    }
  }
  return found;
}

type JudgedPayout = { name: string; verdict: string | null; stake: string | null; difference: string | null };

/** The payouts of an account by id and currency, once they are compared. */
async function judgedPayouts(
  { superuserUrl }: System,
  accountId: string,
): Promise<Map<string, JudgedPayout>> {
  return await withClient(superuserUrl, async (client) => {
    await eventually(async () => (await client.query(NOT_JUDGED)).rowCount === 0);
    const { rows } = await client.query<JudgedPayout>(PAYOUTS, [accountId]);
    return new Map(rows.map((row) => [row.name, row]));
  });
}

const NOT_JUDGED = `
  select from settlement.import where state = 'TAKEN' and matched_at is null
  union all select from settlement.payout where judge`;

const PAYOUTS = `
  select payout_id || ' ' || payout.currency as name, payout.verdict, open.amount_minor::text as stake,
    open.difference_id as difference
  from settlement.payout left join (
    select * from settlement.difference where state = 'OPEN' and payout_id is not null
  ) as open using (account_id, payout_id)
  where account_id = $1 and (open.currency is null or open.currency = payout.currency)`;
