-- What the rules of merchants count. Only merchants that have such rules leave rows here, so nobody else pays for them.

-- Payments that were let through to the bank, by merchant and card or address. One row for each, whose lock is what makes
-- the count exact whichever process asks; as many times as the rule allows, so a row has a bound.
create table rule_counter (
  merchant_id     uuid not null,
  kind            text not null check (kind in ('CARD', 'IP')),
  subject         text not null check (char_length(subject) between 1 and 64),   -- fingerprint in hex, or the address
  attempts        timestamptz[] not null check (cardinality(attempts) <= 1000),
  -- Of the statement that wrote it last: how many it let through, and the rule it went by.
  granted         integer not null check (granted >= 0),
  attempts_max    integer not null check (attempts_max > 0),
  window_seconds  integer not null check (window_seconds > 0),
  expires_at      timestamptz not null,                  -- when nothing in it counts any more
  primary key (merchant_id, kind, subject)
);
create index rule_counter_expires on rule_counter (expires_at);

-- Payments let through for merchants whose decline rate is watched; how they ended is in payment_history.
create table rule_attempt (
  merchant_id   uuid not null,
  attempted_at  timestamptz not null default now(),
  payment_id    uuid not null,
  primary key (merchant_id, attempted_at, payment_id)
);
create index rule_attempt_age on rule_attempt (attempted_at);

grant select, insert, update, delete on rule_counter to payments_app;
grant select, insert, delete on rule_attempt to payments_app;
