-- What moved money, as its owners know it: this service's own copy, to be compared with the banks' files.
-- Runs as settlement_owner; the service runs as settlement_app, which may not alter anything and may not rewrite the past.

create table fact (
  fact_id                 uuid primary key,              -- of the payment, or of the refund
  -- At the bank, 'default' for that of ACQUIRER_URL. Null until its owner has been asked: an event does not say it.
  account_id              text check (char_length(account_id) between 1 and 64),
  parent_id               uuid,                          -- the refunded payment, of a refund
  merchant_id             uuid not null,
  kind                    text not null check (kind in ('SALE', 'CAPTURE', 'REFUND')),
  standing                text not null check (standing in ('DONE', 'NOT_DONE', 'VOIDED', 'OPEN')),
  amount_minor            bigint not null check (amount_minor > 0),
  currency                char(3) not null,
  occurred_at             timestamptz not null,
  version                 integer not null check (version >= 0),   -- the owner's: a lower one never replaces a higher
  order_id                text not null check (char_length(order_id) between 1 and 64),
  masked_pan              text not null check (masked_pan ~ '^\d{6}\*+\d{4}$'),
  external_transaction_id text check (char_length(external_transaction_id) <= 128),
  auth_code               text check (char_length(auth_code) <= 64),

  -- When the owner is asked next, of what is open (a capture has no event) or has no account yet. Null once both are
  -- known, or when it is too old to ask.
  ask_at                  timestamptz,
  asked                   smallint not null default 0 check (asked >= 0),
  recorded_at             timestamptz not null default now(),

  constraint fact_refund_has_a_parent check ((kind = 'REFUND') = (parent_id is not null)),
  constraint fact_asked_while_unknown check (ask_at is null or standing = 'OPEN' or account_id is null)
);

create index fact_to_ask on fact (ask_at) where ask_at is not null;

-- Who did what: a hash chain that the service can lengthen and read, and nothing else.
create table audit_entry (
  sequence  bigint primary key,
  at        timestamptz not null,
  actor     text not null,
  action    text not null,
  subject   text not null,
  detail    text not null,                               -- JSON
  hash      bytea not null check (octet_length(hash) = 32)
);

grant select, insert, update on fact to settlement_app;
grant select, insert on audit_entry to settlement_app;
grant select on audit_entry to holdfast_auditor;
