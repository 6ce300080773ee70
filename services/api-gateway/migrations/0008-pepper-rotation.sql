-- Peppers can be replaced: a credential moves to the active one at a sign-in, when its secret is at hand.

-- Which peppers are still needed, in one look-up for each: a service that starts without one of them refuses.
create index credential_pepper on credential (pepper_id) where revoked_at is null;

-- Puts a secret's hash under another pepper, if nothing has changed it meanwhile. Runs as the owner, so that the role
-- which signs merchants in can replace no hash of a revoked credential, none that it has not read, and nothing else.
create function replace_secret_hash(key text, from_pepper text, from_hmac bytea, to_pepper text, to_hmac bytea)
returns boolean language sql security definer set search_path = gateway, pg_temp as $$
  with replaced as (
    update credential set secret_hmac = to_hmac, pepper_id = to_pepper
    where api_key = key and pepper_id = from_pepper and secret_hmac = from_hmac and to_pepper <> from_pepper
      and revoked_at is null
    returning api_key
  )
  select exists (select from replaced)
$$;

revoke all on function replace_secret_hash(text, text, bytea, text, bytea) from public;

grant execute on function replace_secret_hash(text, text, bytea, text, bytea) to gateway_merchant, gateway_app;
