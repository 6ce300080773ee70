import { unnested } from "@holdfast/postgres";
import { CALL_OF_CLAIM } from "../bank/ledger/call-statements.ts";
import { CLAIM_COLUMNS, COLUMN_NAMES, OWNS_ITS_KEY, type Statement } from "./payment-statements.ts";

/**
 * The SQL that claims payments together with their orders: if two payments claim one merchant's order, the
 * second is refused while the first is undecided. The unique index `payment_of_undecided_order` decides
 * between simultaneous claims. This statement finds earlier ones, so that nothing fails in the common case.
 */

/** The payments that the unique index is over; in the words of the migration, or the planner does not use it. */
export const UNDECIDED_ORDER = "claims_order and state in ('ENROLLING', 'AUTHORIZING', 'REVERSING')";

/**
 * Finds payments whose order another payment has. Copies of a message and repetitions under an
 * Idempotency-Key are excluded, since they have their own answers. The limit makes the planner look each
 * order up by the index. Otherwise each statement would read the whole index, including entries that vacuum
 * has not removed yet.
 */
const contested = (keyed: boolean) => `, contested as (
    select given.lease_token, other.payment_id
    from given cross join lateral (
      select payment_id from payment
      where merchant_id = given.merchant_id and order_id = given.order_id and ${UNDECIDED_ORDER}
      limit 1
    ) as other
    where given.claims_order
      and not exists (select from payment as mine where mine.payment_id = given.payment_id)
      ${keyed ? `and not exists (${KEY_IN_USE})` : ""}
  ), free as (
    select * from given where lease_token not in (select lease_token from contested)
  )`;

const KEY_IN_USE = `select from idempotency_key as used
        where used.merchant_id = given.merchant_id and used.scope = given.idempotency_scope
          and used.key = given.idempotency_key`;

/** The first request with a key gets it; a concurrent second one waits for the first's commit and then finds it taken. */
const TAKE_KEYS = `, keyed as (
    insert into idempotency_key (merchant_id, scope, key, fingerprint, resource_id)
    select merchant_id, idempotency_scope, idempotency_key, idempotency_fingerprint, payment_id
    from free where idempotency_key is not null
    on conflict (merchant_id, scope, key) do nothing
    returning resource_id
  )`;

const claim = (keyed: boolean) => `
  with given as (select * from ${unnested(CLAIM_COLUMNS, 3)})${contested(keyed)}${keyed ? TAKE_KEYS : ""},
  claimed as (
    insert into payment (state, version, lease_until, recover_at, authorization_expires_at, ${COLUMN_NAMES})
    select state, 1, lease.ends, lease.ends, now() + $2 * interval '1 millisecond', ${COLUMN_NAMES}
    from free, (select now() + $1 * interval '1 millisecond' as ends) as lease
    ${keyed ? OWNS_ITS_KEY : ""}
    on conflict (payment_id) do nothing
    returning payment_id, lease_token, created_at, state, transaction_type, account_id, amount_minor, currency
  ), ${CALL_OF_CLAIM}, history as (
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, 1, null, state, 'claimed' from claimed
  )
  select lease_token, created_at, null::uuid as undecided from claimed
  union all select lease_token, null, payment_id from contested`;

export const CLAIM: { plain: Statement; keyed: Statement } = {
  plain: { name: "claim-payments", text: claim(false) },
  keyed: { name: "claim-keyed-payments", text: claim(true) },
};

/**
 * Finds an undecided payment of one order, before the merchant rules: `$1` merchant, `$2` order, `$3`
 * payment, `$4` scope, `$5` key.
 */
export const FIND_UNDECIDED = `
  select payment_id from payment
  where merchant_id = $1 and order_id = $2 and ${UNDECIDED_ORDER}
    and not exists (select from payment as mine where mine.payment_id = $3)
    and not exists (select from idempotency_key as used
      where used.merchant_id = $1 and used.scope = $4 and used.key = $5)`;
