-- Merchants, the credentials their servers sign in with, and what operators do to both.
--
-- Runs as gateway_owner. Each of the gateway's faces runs under a role of its own, since they are trusted with different
-- things. The pages for browsers (gateway_public) know a merchant's name, plan and look, and no credential. The merchant
-- API (gateway_merchant) reads. The operator API (gateway_operator) writes. The face for a merchant's staff (gateway_staff)
-- reads no secret's hash, and asks the operator API to change merchants and API keys.

-- Merchants ------------------------------------------------------------------------------------------------------------

create table merchant (
  -- Sorts by creation: lists go by it.
  merchant_id                 uuid primary key default uuidv7(),
  name                        text not null check (char_length(name) between 1 and 100),
  status                      text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),

  -- The plan, all of it or nothing: a percentage of each payment, and a fixed part of payments in commission_currency.
  -- numeric without a scale keeps "2.50" as it was given.
  commission_rate_percent     numeric check (commission_rate_percent >= 0 and commission_rate_percent < 100),
  commission_fixed            numeric check (commission_fixed >= 0 and commission_fixed < 1000000000),
  commission_currency         text check (char_length(commission_currency) = 3),
  -- JSON as the contract has it (CommissionPlan.rules): the gateway only carries it to `payments`.
  commission_rules            jsonb check (jsonb_typeof(commission_rules) = 'array'),
  commission_may_exceed_amount boolean not null default false,
  -- Refunds give their part of the commission back.
  refunds_commission          boolean not null default true,

  -- The rules under which its payments are rejected without asking the bank (MerchantRules), as JSON.
  rules                       jsonb check (jsonb_typeof(rules) = 'object'),

  -- The look of its pages for buyers: name, colour, logo.
  branding                    jsonb check (
                                branding is null
                                or (jsonb_typeof(branding) = 'object' and octet_length(branding::text) <= 65536)),

  -- Rises with every change of the above. A change names the one that it was made from: nobody overwrites what they have
  -- not seen.
  version                     integer not null default 1 check (version > 0),

  created_at                  timestamptz not null default now(),

  constraint merchant_commission_whole check (
    num_nulls(commission_rate_percent, commission_fixed, commission_currency) in (0, 3)),
  constraint merchant_commission_rules_need_a_plan check (
    commission_rate_percent is not null or (commission_rules is null and not commission_may_exceed_amount))
);

grant select on merchant to gateway_merchant;

grant select on merchant to gateway_operator;
grant insert (
  name, commission_rate_percent, commission_fixed, commission_currency, commission_rules, commission_may_exceed_amount,
  refunds_commission, rules) on merchant to gateway_operator;
-- A merchant's id and time of creation stay.
grant update (
  name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, refunds_commission, rules, branding, version) on merchant to gateway_operator;

grant select (
  merchant_id, name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, refunds_commission, rules, branding) on merchant to gateway_public;

grant select (
  merchant_id, name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, refunds_commission, rules, branding, version, created_at) on merchant to gateway_staff;

-- Credentials ----------------------------------------------------------------------------------------------------------

create table credential (
  -- Keys of test mode (hk_test_…) are the longest, with 66 characters.
  api_key      text primary key check (char_length(api_key) between 27 and 66),
  merchant_id  uuid not null references merchant,

  -- SHA-256 of the secret's HMAC-SHA-256 under a pepper that is not in this database, and that pepper's id. The HMAC is
  -- known only to whoever has both the secret and the pepper: it proves that the secret was at hand (docs/adr/0076).
  secret_hash  bytea not null check (octet_length(secret_hash) = 32),
  pepper_id    text not null check (char_length(pepper_id) between 1 and 32),

  -- The person who issued it could ask in the merchant's name, and so may not decide about what was asked with it.
  issued_by    text not null check (char_length(issued_by) between 1 and 1000),

  created_at   timestamptz not null default now(),
  revoked_at   timestamptz,

  -- Restrictions that it was issued with: it signs in before that time only, and from addresses in these ranges only.
  expires_at   timestamptz check (expires_at > created_at),
  addresses    text[] check (cardinality(addresses) between 1 and 50),

  -- The day of its last use (UTC).
  last_used_on date
);

create index credential_merchant on credential (merchant_id);

-- Finds the peppers that are still needed, in one look-up for each: a service that starts without one of them refuses.
create index credential_pepper on credential (pepper_id) where revoked_at is null;

grant select on credential to gateway_merchant;

grant select on credential to gateway_operator;
grant insert (api_key, merchant_id, secret_hash, pepper_id, issued_by, expires_at, addresses) on credential to gateway_operator;
grant update (revoked_at) on credential to gateway_operator;

grant select (api_key, merchant_id, created_at, revoked_at, issued_by, expires_at, addresses, last_used_on) on credential
  to gateway_staff;

-- A revoked secret may be known to others: no role can restore it, or change the time of its revocation.
create function keep_revocation() returns trigger language plpgsql as $$
begin
  raise exception 'credential %: a revocation is final', old.api_key using errcode = 'integrity_constraint_violation';
end
$$;
revoke execute on function keep_revocation() from public;

create trigger credential_revocation_is_final before update on credential
  for each row when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function keep_revocation();

-- Puts a secret's hash under another pepper, if nothing has changed it meanwhile. Peppers are replaced so: a credential
-- moves to the active one at a sign-in, when its secret is at hand, which from_hmac proves. It runs as the owner, so that the
-- role which signs merchants in can replace no hash by what it reads here, none of a revoked credential, and nothing else.
create function replace_secret_hash(key text, from_pepper text, from_hmac bytea, to_pepper text, to_hash bytea)
returns boolean language sql security definer set search_path = gateway, pg_temp as $$
  with replaced as (
    update credential set secret_hash = to_hash, pepper_id = to_pepper
    where api_key = key and pepper_id = from_pepper and secret_hash = sha256(from_hmac) and to_pepper <> from_pepper
      and revoked_at is null
    returning api_key
  )
  select exists (select from replaced)
$$;
revoke all on function replace_secret_hash(text, text, bytea, text, bytea) from public;
grant execute on function replace_secret_hash(text, text, bytea, text, bytea) to gateway_merchant;

-- Notes the day of a credential's use. It runs as the owner, so that the role which signs merchants in changes nothing else.
create function note_credential_use(key text) returns void language sql security definer
set search_path = gateway, pg_temp as $$
  update credential set last_used_on = (now() at time zone 'UTC')::date
  where api_key = key and last_used_on is distinct from (now() at time zone 'UTC')::date
$$;
revoke all on function note_credential_use(text) from public;
grant execute on function note_credential_use(text) to gateway_merchant;

-- Operators ------------------------------------------------------------------------------------------------------------

-- People whose tokens are refused although the identity provider's signature is valid: at the next request, not when the
-- token ends. The audit log says who refused and who re-admitted a person.
create table refused_operator (
  person      text primary key check (char_length(person) between 1 and 1000),     -- kind, issuer and subject, or a subject alone
  reason      text not null check (char_length(reason) between 1 and 1000),
  refused_by  text not null check (refused_by <> person),
  refused_at  timestamptz not null default now()
);

grant select, delete on refused_operator to gateway_operator;
grant insert (person, reason, refused_by) on refused_operator to gateway_operator;
grant select (person) on refused_operator to gateway_staff;

-- Idempotency-Keys of operators. The answer that is kept has no secret in it: a secret is shown once.
create table operator_key (
  subject       text not null check (char_length(subject) between 1 and 1000),    -- the person: kind, issuer and subject
  scope         text not null check (octet_length(scope) between 1 and 4096),     -- method and path of the request
  key           text not null check (char_length(key) between 1 and 255),
  fingerprint   bytea not null check (octet_length(fingerprint) = 32),
  -- The id of the resource that the request creates is generated with the key.
  resource_id   uuid not null,
  lease_id      uuid not null,
  leased_until  timestamptz not null,
  -- JSON of the first final answer; null while there is none.
  answer        bytea check (octet_length(answer) <= 1048576),
  created_at    timestamptz not null default now(),
  primary key (subject, scope, key)
);

-- Index for the purge.
create index operator_key_created_at on operator_key (created_at);

grant select, delete on operator_key to gateway_operator;
grant insert (subject, scope, key, fingerprint, resource_id, lease_id, leased_until) on operator_key
  to gateway_operator;
grant update (lease_id, leased_until, answer) on operator_key to gateway_operator;

-- Those of merchants' staff, of another role: neither can delete the other's. The operator API purges both.
create table staff_key (like operator_key including all);

grant select, delete on staff_key to gateway_operator, gateway_staff;
grant insert (subject, scope, key, fingerprint, resource_id, lease_id, leased_until) on staff_key to gateway_staff;
grant update (lease_id, leased_until, answer) on staff_key to gateway_staff;
-- The purge locks the rows that it deletes, which takes a right to change some column.
grant update (lease_id) on staff_key to gateway_operator;

-- A changed log level of a service, for a time: the operator API's replicas publish it again and again until then.
create table log_level (
  service     text primary key,
  level       text not null check (level in ('debug', 'info')),
  ends_at     timestamptz not null,
  changed_by  text not null,
  changed_at  timestamptz not null default now(),
  constraint log_level_for_an_hour check (ends_at <= changed_at + interval '1 hour')
);

grant select, delete on log_level to gateway_operator;
grant insert (service, level, ends_at, changed_by, changed_at) on log_level to gateway_operator;
grant update (level, ends_at, changed_by, changed_at) on log_level to gateway_operator;

-- Audit log ------------------------------------------------------------------------------------------------------------

-- The record of who did what: a hash chain that the service can lengthen and read, and nothing else.
create table audit_entry (
  sequence  bigint primary key,
  at        timestamptz not null,
  actor     text not null,
  action    text not null,
  subject   text not null,
  detail    text not null,                               -- JSON
  hash      bytea not null check (octet_length(hash) = 32)
);

-- Operators read the log newest first, alone or by one of these three; the key answers none of that.
create index audit_entry_in_time on audit_entry (at, sequence);
create index audit_entry_of_subject on audit_entry (subject, at, sequence);
create index audit_entry_of_actor on audit_entry (actor, at, sequence);
create index audit_entry_of_action on audit_entry (action, at, sequence);

grant select, insert on audit_entry to gateway_operator, gateway_staff;
-- The auditor reads the log, and nothing else. The installation has made the role.
grant select on audit_entry to holdfast_auditor;

-- Migrations -----------------------------------------------------------------------------------------------------------

-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to gateway_merchant, gateway_operator, gateway_public, gateway_staff;
