import { z } from "zod";
import { livemodeSchema, merchantIdOf } from "../livemode.ts";
import type { ListPart } from "../messages/list-parts.ts";
import { amountToJson, currencyExponent } from "../money.ts";
import { nameOf } from "../person.ts";
import { pageOf } from "./list-query.ts";
import { merchantName } from "./merchant-name.ts";

/**
 * The kinds of proposals that wait for a second person; `operations/proposals.ts` has the operation that
 * decides each.
 */
export const PROPOSAL_KINDS = [
  "ACCOUNT_CHANGE",
  "ROUTES",
  "PAYMENT_OUTCOME",
  "CHARGEBACK_OUTCOME",
  "REFUND_APPROVAL",
  "REFUND_OUTCOME",
  "DIFFERENCE",
  "SETTLEMENT_FILE",
] as const;
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

export const openProposalSchema = z.object({
  kind: z.enum(PROPOSAL_KINDS).meta({
    description:
      "What has to be decided. ACCOUNT_CHANGE: an account at a bank, or a change of it. ROUTES: a merchant's routes. " +
      "PAYMENT_OUTCOME, REFUND_OUTCOME and CHARGEBACK_OUTCOME: how it ended. REFUND_APPROVAL: a refund that one of two " +
      "people has approved. DIFFERENCE: how it is closed. SETTLEMENT_FILE: a bank's file",
  }),
  subjectId: z.uuid().meta({
    description:
      "Id of what it is about: by `kind` the account, the merchant, the payment, the chargeback, the refund, the " +
      "difference or the file",
  }),
  since: z.iso.datetime().meta({ description: "Since when it waits (UTC)" }),
  proposedBy: z
    .string()
    .meta({ description: "Who has proposed it: the `sub` of a person's token, or a command's name" }),
  merchantId: z.uuid().optional().meta({ description: "Id of the merchant that it is about" }),
  accountId: z.string().optional().meta({ description: "The account at a bank that it is about" }),
  accountName: z.string().optional().meta({ description: "Name of the account, of ACCOUNT_CHANGE alone" }),
  amount: z.number().optional().meta({ description: "Its amount, in major units of `currency`" }),
  currency: z.string().optional().meta({ description: "ISO 4217 code of `amount`" }),
  livemode: livemodeSchema,
});
export type Proposal = z.infer<typeof openProposalSchema>;

export const proposalPageSchema = pageOf(
  openProposalSchema
    .extend({ merchantName })
    .meta({ id: "Proposal", description: "What one person has proposed and another one has to decide" }),
  "oldest first",
).meta({ id: "ProposalPage" });

/** A proposal as each service reads it from its own tables. */
export type ProposalRow = {
  kind: ProposalKind;
  id: string;
  since: Date;
  /** The position in the list, see `TimePosition`. */
  since_utc: string;
  proposed_by: string;
  merchant_id: string | null;
  account_id: string | null;
  account_name: string | null;
  amount_minor: bigint | null;
  currency: string | null;
};

/** A service's part of the list. @param rows one more than `limit` where there are more. */
export function proposalsPart(
  rows: readonly ProposalRow[],
  { limit, livemode }: { limit: number; livemode: boolean },
): ListPart<Proposal> {
  const items = rows
    .slice(0, limit)
    .map((row) => ({ createdAt: row.since_utc, id: row.id, item: { ...proposalOf(row), livemode } }));
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, ...(last && { readTo: { createdAt: last.createdAt, id: last.id } }) };
}

function proposalOf(row: ProposalRow): Omit<Proposal, "livemode"> {
  const { amount_minor: minor, currency } = row;
  return {
    kind: row.kind,
    subjectId: row.id,
    since: row.since.toISOString(),
    proposedBy: nameOf(row.proposed_by),
    ...(row.merchant_id !== null && { merchantId: merchantIdOf(row.merchant_id) }),
    ...(row.account_id !== null && { accountId: row.account_id }),
    ...(row.account_name !== null && { accountName: row.account_name }),
    ...(minor !== null &&
      currency !== null && { amount: amountToJson(minor, currencyExponent(currency) ?? 2), currency }),
  };
}
