import {
  proposalKindsFor,
  proposalsPart,
  type CommandReply,
  type ListPart,
  type OperatorContext,
  type Proposal,
  type ProposalRow,
  type readProposals,
} from "@holdfast/contracts";
import { ofMode, oldestFirst } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { z } from "zod";
import type { RefundsDatabase } from "../database.ts";

/** Lists the proposals that wait here for a second person, oldest first, of the kinds that this one may decide. */
export async function listProposals(
  { db }: { db: Kysely<RefundsDatabase> },
  { operator }: OperatorContext,
  { livemode, after, limit }: z.infer<typeof readProposals.refunds.request>,
): Promise<CommandReply<ListPart<Proposal>>> {
  const selects = [approvals(livemode), outcomes(livemode)];
  const kinds = proposalKindsFor(operator.roles);
  const { rows } = await oldestFirst<ProposalRow>(selects, { kinds, after, limit: limit + 1 }).execute(db);
  return { outcome: "done", result: proposalsPart(rows, { limit, livemode }) };
}

/** A refund that one person has approved and that still waits takes two. */
function approvals(livemode: boolean): RawBuilder<unknown> {
  return sql`
    select 'REFUND_APPROVAL' as kind, refund.refund_id as id, approval.at as since, approval.approved_by as proposed_by,
      refund.merchant_id, null::text as account_id, null::text as account_name, refund.amount_minor,
      refund.currency::text as currency
    from refund cross join lateral (
      select at, approved_by from refund_approval
      where refund_approval.refund_id = refund.refund_id order by at limit 1
    ) as approval
    where refund.state = 'PENDING_APPROVAL' and ${ofMode("refund.merchant_id", livemode)}`;
}

/** A proposal that nobody confirmed before the bank answered no longer applies. */
function outcomes(livemode: boolean): RawBuilder<unknown> {
  return sql`
    select 'REFUND_OUTCOME', refund.refund_id, resolution.proposed_at, resolution.proposed_by, refund.merchant_id, null,
      null, refund.amount_minor, refund.currency::text
    from refund_resolution as resolution join refund on refund.refund_id = resolution.refund_id
    where refund.state = 'EXECUTING' and ${ofMode("refund.merchant_id", livemode)}`;
}
