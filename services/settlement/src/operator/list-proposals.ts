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
import { oldestFirst } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { SettlementDatabase } from "../database.ts";

/** Lists the proposals that wait here for a second person, oldest first, of the kinds that this one may decide. It is all of live mode. */
export async function listProposals(
  { db }: { db: Kysely<SettlementDatabase> },
  { operator }: OperatorContext,
  { after, limit }: z.infer<typeof readProposals.settlement.request>,
): Promise<CommandReply<ListPart<Proposal>>> {
  const kinds = proposalKindsFor(operator.roles);
  const asked = { kinds, after, limit: limit + 1 };
  const { rows } = await oldestFirst<ProposalRow>([DIFFERENCES, FILES], asked).execute(db);
  return { outcome: "done", result: proposalsPart(rows, { limit, livemode: true }) };
}

const DIFFERENCES = sql`
  select 'DIFFERENCE' as kind, difference_id as id, proposed_at as since, proposed_by,
    coalesce(merchant_id, accepted_merchant_id) as merchant_id, account_id, null::text as account_name, amount_minor,
    currency::text as currency
  from difference where state = 'PROPOSED'`;

/** Files that another person than their sender has to confirm. */
const FILES = sql`
  select 'SETTLEMENT_FILE', import_id, created_at, imported_by, null::uuid, account_id, null, null, null
  from import where state = 'PROPOSED' and not sender_confirms`;
