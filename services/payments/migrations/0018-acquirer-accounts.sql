-- Accounts at banks. What a payment was sent to is stored with it and never decided again; null is the account of
-- ACQUIRER_URL, as for all payments of before.
create table acquirer_account (
  account_id   uuid primary key,
  protocol     text not null check (length(protocol) <= 32),
  name         text not null unique check (length(name) between 1 and 100),
  currencies   text[] not null check (cardinality(currencies) between 1 and 50),
  state        text not null check (state in ('PROPOSED', 'ACTIVE', 'NO_NEW_PAYMENTS', 'CLOSED')),
  -- Where no route names a payment.
  is_default   boolean not null default false,
  time_zone    text not null check (length(time_zone) <= 64),
  cut_off      text not null check (cut_off ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  late_arrival_ms bigint not null check (late_arrival_ms >= 0),
  connections_max integer not null check (connections_max between 1 and 10000),
  -- The version in use, null until the first one is confirmed.
  version      integer,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now()
);
create unique index acquirer_account_default on acquirer_account (is_default) where is_default;

-- Settings and credentials. Calls use the version in use, whatever they are about: a replaced password works for old
-- payments, too. What was replaced stays as evidence of who could speak for whom, and when.
create table acquirer_account_version (
  account_id     uuid not null references acquirer_account,
  version        integer not null,
  -- Everything of the account but protocol, settings and credentials, as it is once this version is in use.
  attributes     jsonb not null,
  settings       jsonb not null,
  -- AES-256-GCM under a key of ACCOUNT_SECRET_KEYS, bound to account, version and protocol.
  sealed_secrets bytea not null,
  proposed_by    text not null,
  proposed_at    timestamptz not null default now(),
  confirmed_by   text,
  confirmed_at   timestamptz,
  primary key (account_id, version)
);

-- A merchant's routes as one document, so that a change is one step. The highest confirmed version is in use.
create table merchant_route (
  merchant_id  uuid not null,
  version      integer not null,
  routes       jsonb not null,
  proposed_by  text not null,
  proposed_at  timestamptz not null default now(),
  confirmed_by text,
  confirmed_at timestamptz,
  primary key (merchant_id, version)
);
create index merchant_route_confirmed on merchant_route (merchant_id, version) where confirmed_at is not null;

-- No reference: every payment would lock its account's row. Accounts are never deleted.
alter table payment add column account_id uuid;

-- What a completion has to bring again is longer at some banks.
alter table three_ds_session
  drop constraint three_ds_session_acquirer_session_check,
  add constraint three_ds_session_acquirer_session_check check (char_length(acquirer_session) <= 2000);

grant select, insert, update (name, currencies, state, is_default, time_zone, cut_off, late_arrival_ms, connections_max,
  version, updated_at) on acquirer_account to payments_app;
grant select, insert, update (confirmed_by, confirmed_at) on acquirer_account_version to payments_app;
grant select, insert, update (confirmed_by, confirmed_at) on merchant_route to payments_app;
