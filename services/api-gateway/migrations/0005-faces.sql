-- The gateway's three faces run under roles of their own, since they are trusted with different things: the pages for
-- browsers know a merchant's name and plan and no credential, the merchant API reads, and only the operator API writes.
-- gateway_app stays as it is for the version before.

grant select (
  merchant_id, name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, rules) on merchant to gateway_public;

grant select on merchant, credential to gateway_merchant;

grant select on merchant, credential to gateway_operator;
grant insert (
  name, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, rules) on merchant to gateway_operator;
grant update (
  name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, rules) on merchant to gateway_operator;
grant insert (api_key, merchant_id, secret_hmac, pepper_id) on credential to gateway_operator;
grant update (revoked_at) on credential to gateway_operator;
grant select, insert on audit_entry to gateway_operator;

-- A secret that was revoked may be known to others: no role gives it its life back, and nobody changes since when it
-- has none.
create function keep_revocation() returns trigger language plpgsql as $$
begin
  raise exception 'credential %: a revocation is final', old.api_key using errcode = 'integrity_constraint_violation';
end
$$;
revoke execute on function keep_revocation() from public;

create trigger credential_revocation_is_final before update on credential
  for each row when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function keep_revocation();
