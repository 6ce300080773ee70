/** SQL of a new lease's token, whose first half names the holder that leases by this connection (`leasesOf`). */
export const NEW_LEASE_TOKEN =
  "overlay(gen_random_uuid()::text placing current_setting('holdfast.lease_holder') from 1)::uuid";

/** The key of a holder's lock is its name without the dashes, of which both halves are shown in `pg_locks`. */
export const HOLD = "select pg_advisory_lock(('x' || replace($1, '-', ''))::bit(64)::bigint)";

/**
 * The live holders, and the time of reading by the clock that leases end by. The version in the name tells
 * these locks from other locks, whose keys are hashes of 32 bits.
 */
export const ALIVE_HOLDERS = {
  name: "alive-lease-holders",
  text: `
  select now()::text as read_at,
    array(
      select lpad(to_hex(classid::bigint), 8, '0') || '-' || left(low, 4) || '-' || right(low, 4)
      from pg_locks cross join lateral (select lpad(to_hex(objid::bigint), 8, '0') as low) as word
      where locktype = 'advisory' and objsubid = 1 and granted and low like '____8___'
        and database = (select oid from pg_database where datname = current_database())
    ) as holders`,
};

const HOLDER = "left(lease_token::text, 18)";

/** The holders of leases, read once as a process starts: those that died before it are in no lock that it has seen. */
export const HOLDERS_OF_LEASES = `
  select distinct ${HOLDER} as holder from delivery
  where lease_token is not null`;

/** Parameters: the holder, when it was first missing, and how long a lease lasts in milliseconds. */
export const RELEASE_HELD_BY = `
  update delivery set lease_token = null, lease_until = null
  where lease_token is not null and ${HOLDER} = $1
    and lease_until <= $2::timestamptz + $3::float8 * interval '1 millisecond'`;
