import { withClient } from "@holdfast/sandbox/infrastructure";
import { approvals, isLive, linesByPayment } from "../checker/bank-lines.ts";
import type { BankLine } from "../checker/index.ts";
import { eventually } from "../support/index.ts";
import { close } from "./banks-alone.ts";
import type { OperatorClient } from "./client/operator-client.ts";
import type { System } from "./system/system.ts";

/**
 * A sale that a bank has carried out twice, which only its day's file reveals. `isGivenBack`: both were
 * refunded in the bank's panel.
 */
export type SecondSuccess = { paymentId: string; amountMinor: bigint; isGivenBack: boolean };

export function secondSuccessesIn(bank: readonly BankLine[]): SecondSuccess[] {
  return [...linesByPayment(bank)].flatMap(([paymentId, lines]) => {
    const isGivenBack = lines.some(
      ({ operation, uncalled }) => operation === "refund" && uncalled === "panel",
    );
    return approvals(lines)
      .filter((line) => line.operation === "sale" && line.uncalled === "again")
      .filter((line) => isGivenBack || isLive(line, lines))
      .map(({ amountMinor }) => ({ paymentId, amountMinor, isGivenBack }));
  });
}

/**
 * Expects one difference for each such payment, over its amount, which an operator closes in the bank's
 * favour. If both sales were given back, the differences of the payment and of its lines cancel each other
 * and count nowhere. There is no difference if the lines name the payment.
 */
export async function secondSuccessesAreFound(
  { superuserUrl }: System,
  again: readonly SecondSuccess[],
  operator: OperatorClient,
): Promise<string[]> {
  return await withClient(superuserUrl, async (client) => {
    await eventually(async () => (await client.query(TO_JUDGE)).rowCount === 0);
    const found: string[] = [];
    for (const { paymentId, amountMinor, isGivenBack } of again) {
      const { rows } = await client.query<{ id: string; stake: string }>(isGivenBack ? OF_PAYMENT : OF_FACT, [
        paymentId,
      ]);
      const isExpected = isGivenBack
        ? rows.reduce((sum, { stake }) => sum + BigInt(stake), 0n) === 0n
        : rows.length === 1 && BigInt(rows[0]!.stake) === amountMinor;
      if (!isExpected)
        found.push(`a second success of ${paymentId}, ${amountMinor}: ${JSON.stringify(rows)}`);
      for (const { id } of rows)
        found.push(...(await close(operator, id, isGivenBack ? "NOT_OURS" : "ACCEPT_BANK")));
    }
    return found;
  });
}

const TO_JUDGE = `
  select from settlement.import where state = 'TAKEN' and matched_at is null
  union all select from settlement.fact where judge`;

const OF_FACT = `
  select difference_id as id, amount_minor::text as stake from settlement.difference
  where fact_id = $1 and state = 'OPEN' and class in ('AMOUNT_DIFFERS', 'STATUS_DIFFERS')`;

/** The bank's amounts in all differences of a payment, and of lines that have its name or the bank's name of it. */
const OF_PAYMENT = `
  select difference_id as id, difference.theirs_minor::text as stake
  from settlement.difference left join settlement.line using (import_id, line_no)
  where difference.state = 'OPEN' and ($1 in (difference.fact_id, line.reference_id)
    or (line.account_id, line.bank_reference)
      in (select account_id, bank_reference from settlement.line where fact_id = $1))`;

/** Each line that a bank has written once more is a difference. A person says that it counts nowhere. */
export async function copiesAreFound(
  { superuserUrl, banks }: System,
  operator: OperatorClient,
): Promise<string[]> {
  return await withClient(superuserUrl, async (client) => {
    const found: string[] = [];
    const repeating = new Set(
      banks.filter(({ habits }) => habits?.repeatsLines).map(({ accountId }) => accountId),
    );
    const { rows } = await client.query<{ id: string; account: string }>(COPIES);
    for (const { id, account } of rows)
      found.push(
        ...(repeating.has(account)
          ? await close(operator, id, "NOT_OURS")
          : [`account ${account} repeats no line, and has a copy`]),
      );
    return found;
  });
}

/**
 * A refund in iyzico's panel has the name of its payment alone, and with the next day's payout it is another one for the
 * product: a person sees that it is not.
 */
const COPIES = `
  select difference_id as id, difference.account_id as account
  from settlement.difference join settlement.line using (import_id, line_no)
  where difference.state = 'OPEN' and (class = 'DUPLICATE' or class = 'MISSING_HERE' and line.kind = 'REFUND' and exists (
    select from settlement.line as earlier
    where earlier.account_id = line.account_id and earlier.kind = line.kind and earlier.import_id <> line.import_id
      and (earlier.bank_reference, earlier.item, earlier.gross_minor, earlier.transacted_at)
        is not distinct from (line.bank_reference, line.item, line.gross_minor, line.transacted_at)))`;
