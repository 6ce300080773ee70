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
import type { PaymentsDatabase } from "../../database.ts";

/** Lists the proposals that wait here for a second person, oldest first, of the kinds that this one may decide. */
export async function listProposals(
  { db }: { db: Kysely<PaymentsDatabase> },
  { operator }: OperatorContext,
  { livemode, after, limit }: z.infer<typeof readProposals.payments.request>,
): Promise<CommandReply<ListPart<Proposal>>> {
  const selects = [accounts(livemode), routes(livemode), outcomes(livemode), chargebacks(livemode)];
  const kinds = proposalKindsFor(operator.roles);
  const { rows } = await oldestFirst<ProposalRow>(selects, { kinds, after, limit: limit + 1 }).execute(db);
  return { outcome: "done", result: proposalsPart(rows, { limit, livemode }) };
}

type Select = RawBuilder<unknown>;

/** A later version takes the place of an earlier one, of accounts and of routes. */
function accounts(livemode: boolean): Select {
  return sql`
    select 'ACCOUNT_CHANGE' as kind, account.account_id as id, last.proposed_at as since, last.proposed_by,
      null::uuid as merchant_id, account.account_id::text as account_id, account.name as account_name,
      null::bigint as amount_minor, null::text as currency
    from acquirer_account as account cross join lateral (
      select version, proposed_at, proposed_by, confirmed_at from acquirer_account_version as change
      where change.account_id = account.account_id order by version desc limit 1
    ) as last
    where last.confirmed_at is null and last.version > coalesce(account.version, 0)
      and ${ofMode("account.account_id", livemode)}`;
}

function routes(livemode: boolean): Select {
  return sql`
    select 'ROUTES', merchant_id, proposed_at, proposed_by, merchant_id, null, null, null, null
    from merchant_route as route
    where confirmed_at is null and ${ofMode("merchant_id", livemode)} and not exists (
      select from merchant_route as later
      where later.merchant_id = route.merchant_id and later.version > route.version)`;
}

/**
 * A statement that nobody confirmed before the bank answered, or that is about an earlier operation, no
 * longer applies.
 */
function outcomes(livemode: boolean): Select {
  return sql`
    select 'PAYMENT_OUTCOME', payment.payment_id, resolution.proposed_at, resolution.proposed_by, payment.merchant_id,
      null, null, coalesce(operation.amount_minor, payment.amount_minor), payment.currency::text
    from payment_resolution as resolution join payment on payment.payment_id = resolution.payment_id
    left join payment_operation as operation on operation.operation_id = payment.operation_id
    where payment.recover_at is not null and ${ofMode("payment.merchant_id", livemode)}
      and (operation.created_at is null or resolution.proposed_at >= operation.created_at)`;
}

function chargebacks(livemode: boolean): Select {
  return sql`
    select 'CHARGEBACK_OUTCOME', chargeback_id, proposed_at, proposed_by, merchant_id, null, null, amount_minor,
      currency::text
    from chargeback
    where status = 'OPEN' and proposed_outcome is not null and ${ofMode("merchant_id", livemode)}`;
}
