-- Merchants and the credentials their servers sign in with.
-- Runs as gateway_owner; the service runs as gateway_app, which may add both and revoke credentials, and nothing else.

create table merchant (
  -- Its order is the order of creation: lists go by it.
  merchant_id          uuid primary key default uuidv7(),
  name                 text not null check (char_length(name) between 1 and 100),
  status               text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),

  -- The plan, all of it or nothing: a percentage of each payment, and a fixed part of payments in commission_currency.
  -- numeric without a scale keeps "2.50" as it was given.
  commission_rate_percent numeric check (commission_rate_percent >= 0 and commission_rate_percent < 100),
  commission_fixed        numeric check (commission_fixed >= 0 and commission_fixed < 1000000000),
  commission_currency     text check (char_length(commission_currency) = 3),
  constraint merchant_commission_whole check (
    num_nulls(commission_rate_percent, commission_fixed, commission_currency) in (0, 3)),

  created_at           timestamptz not null default now()
);

create table credential (
  api_key      text primary key check (char_length(api_key) between 27 and 64),
  merchant_id  uuid not null references merchant,

  -- HMAC-SHA-256 of the secret under a pepper that is not in this database, and which pepper that was.
  secret_hmac  bytea not null check (octet_length(secret_hmac) = 32),
  pepper_id    text not null check (char_length(pepper_id) between 1 and 32),

  created_at   timestamptz not null default now(),
  revoked_at   timestamptz
);

create index credential_merchant on credential (merchant_id);

grant select on merchant, credential to gateway_app;
grant insert (name, commission_rate_percent, commission_fixed, commission_currency) on merchant to gateway_app;
grant insert (api_key, merchant_id, secret_hmac, pepper_id) on credential to gateway_app;
grant update (revoked_at) on credential to gateway_app;
