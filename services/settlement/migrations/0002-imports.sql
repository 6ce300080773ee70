-- The banks' files, as they were read: one row for each line that could be, and the reason of each that could not.

-- An account at a bank, as far as the comparison needs it: a copy of what `payments` has, and how the bank settles it.
create table account (
  account_id        text primary key check (account_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  time_zone         text not null default 'Europe/Istanbul' check (char_length(time_zone) <= 64),
  -- Within how many days after a movement the bank settles it; later is late, and what never comes is missing.
  settlement_days   smallint not null default 3 check (settlement_days between 0 and 400),
  -- The bank's fee by contract: hundredths of a percent, and minor units. Without it fees are not compared with a plan.
  fee_basis_points  integer check (fee_basis_points between 0 and 10000),
  fee_fixed_minor   bigint not null default 0 check (fee_fixed_minor >= 0),
  -- Whether the bank gives the fee of what is refunded back.
  refunds_fee       boolean not null default false,
  -- What happened before was never compared: the day of the earliest line of the first import.
  compared_since    date,
  created_at        timestamptz not null default now()
);

-- The account of ACQUIRER_URL, which has no row in `payments`.
insert into account (account_id) values ('default');

create table import (
  import_id       uuid primary key default uuidv7(),
  account_id      text not null references account,
  mapping         text not null check (char_length(mapping) between 1 and 64),
  mapping_version integer,
  file_name       text not null check (char_length(file_name) between 1 and 200),
  imported_by     text not null check (char_length(imported_by) between 1 and 200),
  sha256          bytea check (octet_length(sha256) = 32),          -- of the whole file
  bytes           bigint not null default 0 check (bytes >= 0),

  -- READING: a process reads it. TAKEN: its lines count. REFUSED: none of them does.
  state           text not null check (state in ('READING', 'TAKEN', 'REFUSED')),
  reason          text check (char_length(reason) <= 64),
  detail          text check (char_length(detail) <= 1000),
  lines           integer not null default 0 check (lines >= 0),
  faults          integer not null default 0 check (faults >= 0),
  matched_at      timestamptz,                                      -- when its lines had been compared
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,

  -- Who reads it now. A process that lost its lease can neither add a line nor end the import.
  lease_token     uuid,
  lease_until     timestamptz,

  constraint import_ended check ((state in ('TAKEN', 'REFUSED')) = (ended_at is not null)),
  constraint import_refused_says_why check ((state = 'REFUSED') = (reason is not null)),
  constraint import_taken_is_identified check (state <> 'TAKEN' or sha256 is not null)
);

-- A file is taken once for an account, however often it is sent and whoever sends it.
create unique index import_once on import (account_id, sha256) where state = 'TAKEN';
create index import_open on import (lease_until) where state = 'READING';
create index import_to_match on import (ended_at) where state = 'TAKEN' and matched_at is null;

create table line (
  import_id       uuid not null references import,
  line_no         integer not null check (line_no >= 1),
  account_id      text not null,
  kind            text not null check (kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID', 'CHARGEBACK',
                    'CHARGEBACK_REVERSAL', 'FEE', 'ADJUSTMENT', 'PAYOUT')),
  reference       text check (char_length(reference) <= 128),
  reference_id    uuid,                                  -- the payment or refund that our reference begins with
  bank_reference  text check (char_length(bank_reference) <= 128),
  auth_code       text check (char_length(auth_code) <= 128),
  masked_pan      text check (masked_pan ~ '^\d{6}\*+\d{4}$'),
  item            text check (char_length(item) <= 128),
  installment     smallint,
  installments    smallint,
  gross_minor     bigint not null,                       -- signed, seen from the merchant
  fee_minor       bigint not null,                       -- a cost is positive
  net_minor       bigint not null,
  currency        char(3) not null,
  transacted_at   timestamp,                             -- the bank's wall clock
  settles_on      date,
  payout_id       text check (char_length(payout_id) <= 128),
  primary key (import_id, line_no)
);

-- A line that could not be read, and why; never with what it says.
create table line_fault (
  import_id  uuid not null references import,
  line_no    integer not null check (line_no >= 1),
  reason     text not null check (char_length(reason) <= 200),
  primary key (import_id, line_no)
);

grant select, insert, update on account, import to settlement_app;
grant select, insert, update, delete on line to settlement_app;
grant select, insert, delete on line_fault to settlement_app;
