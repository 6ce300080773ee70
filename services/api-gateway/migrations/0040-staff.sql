-- The face for merchants' staff has a role of its own. It reads what a merchant's staff sign in to, adds and revokes API
-- keys, and writes down who did it; it reads no secret's hash, and changes no merchant.

grant select (
  merchant_id, name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, refunds_commission, rules, created_at) on merchant to gateway_staff;

grant select (api_key, merchant_id, created_at, revoked_at, issued_by) on credential to gateway_staff;
grant insert (api_key, merchant_id, secret_hmac, pepper_id, issued_by) on credential to gateway_staff;
grant update (revoked_at) on credential to gateway_staff;

grant select, insert on audit_entry to gateway_staff;
grant select (subject) on refused_operator to gateway_staff;

grant select, delete on operator_key to gateway_staff;
grant insert (subject, scope, key, fingerprint, resource_id, lease_id, leased_until) on operator_key
  to gateway_staff;
grant update (lease_id, leased_until, answer) on operator_key to gateway_staff;
