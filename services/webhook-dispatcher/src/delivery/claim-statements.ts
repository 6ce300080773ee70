/**
 * For `with recursive`: `waiting`, the merchants with deliveries that nobody holds, in order; its last row is null. It
 * skips from one merchant to the next along the index, so that the cost does not grow with what waits for one of them.
 *
 * @param after SQL of the merchant to go on after.
 */
export function waitingEndpoints(after = `'${NO_UUID}'::uuid`): string {
  return `waiting as (
    (select merchant_id from delivery
      where lease_token is null and merchant_id > ${after} order by merchant_id limit 1)
    union all
    select (select delivery.merchant_id from delivery
        where lease_token is null and delivery.merchant_id > waiting.merchant_id order by delivery.merchant_id limit 1)
    from waiting where waiting.merchant_id is not null
  )`;
}

/** Before every merchant. */
export const NO_UUID = "00000000-0000-0000-0000-000000000000";
