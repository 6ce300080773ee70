-- The comparison of money movements with the banks' files, and the amounts owed to merchants by it.
-- Runs as settlement_owner; the service runs as settlement_app, which may not alter anything and may not rewrite the past.

-- Facts: what moved money, as its owners know it -----------------------------------------------------------------------

-- This service's own copy, to be compared with the banks' files.
create table fact (
  fact_id                 uuid primary key,              -- of the payment, or of the refund
  -- The account at the bank.
  account_id              text not null check (char_length(account_id) between 1 and 64),
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
  voids                   boolean not null default false,   -- a refund that was carried out by a void of its whole payment

  -- The commission by the merchant's plan, in minor units; null for refunds, which have their payment's.
  commission_minor        bigint check (commission_minor >= 0),
  -- For a payment, by the merchant's plan: false where its refunds give no commission back.
  refunds_commission      boolean,

  -- The comparison.
  reported                boolean not null default false,   -- a line of a bank's file reports it
  judge                   boolean not null default false,   -- to be compared again
  verdict                 text check (verdict in ('MATCHED', 'AMOUNT_DIFFERS', 'FEE_DIFFERS', 'STATUS_DIFFERS',
                            'MISSING_AT_BANK', 'LATE')),

  constraint fact_refund_has_a_parent check ((kind = 'REFUND') = (parent_id is not null)),
  -- Test mode moves no money, and no bank reports it. A merchant's id of test mode has version 8 (RFC 9562).
  constraint fact_is_live check (uuid_extract_version(merchant_id) is distinct from 8)
);

create index fact_to_judge on fact (fact_id) where judge;
create index fact_of_parent on fact (parent_id) where parent_id is not null;
create index fact_that_voids on fact (parent_id) where voids;
create index fact_at_bank on fact (external_transaction_id) where external_transaction_id is not null;
create index fact_auth_code on fact (auth_code, amount_minor) where auth_code is not null;
create index fact_unreported on fact (account_id, occurred_at)
  where standing = 'DONE' and not reported and verdict is null;
-- A statement is complete when the merchant's bank has reported all of it.
create index fact_unreported_of_merchant on fact (merchant_id, currency, occurred_at)
  where standing = 'DONE' and not reported;

grant select, insert, update on fact to settlement_app;

-- The place that has been read in each owner's feed. It changes in the transaction that records the facts of a page.
create table feed (
  owner        text primary key check (owner in ('payments', 'refunds')),
  place        jsonb,                                    -- null: from the beginning
  -- All that the owner had committed by then is here.
  complete_at  timestamptz not null default now(),
  -- The same will be true of the time `aimed_at` once the feed has been read up to this transaction of the owner.
  aim          xid8,
  aimed_at     timestamptz,
  constraint feed_aim_has_a_time check ((aim is null) = (aimed_at is null))
);

insert into feed (owner) values ('payments'), ('refunds');

grant select, update (place, complete_at, aim, aimed_at) on feed to settlement_app;

-- Banks' files ---------------------------------------------------------------------------------------------------------

-- An account at a bank, as far as the comparison needs it: a copy from `payments`, and the bank's terms of settlement.
create table account (
  account_id        text primary key check (account_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  time_zone         text not null default 'Europe/Istanbul' check (char_length(time_zone) <= 64),
  -- The days within which the bank settles a movement; later is late, and one that never comes is missing.
  settlement_days   smallint not null default 3 check (settlement_days between 0 and 400),
  -- The bank's fee by contract: hundredths of a percent, and minor units. Without it fees are not compared with a plan.
  fee_basis_points  integer check (fee_basis_points between 0 and 10000),
  fee_fixed_minor   bigint not null default 0 check (fee_fixed_minor >= 0),
  -- True where the bank gives the fee of what is refunded back.
  refunds_fee       boolean not null default false,
  -- The days after its day of settlement within which a payout has to be in the bank's statement.
  payout_days       smallint not null default 3 check (payout_days between 0 and 400),
  -- The day of the earliest line of the first import: nothing before it was ever compared.
  compared_since    date,
  -- The day of the earliest payout: none before it is missed, and none at all where no file reports payouts.
  payouts_since     date
);

-- The merchants whose payments were sent to an account: a line that nobody can read may be about any of them.
create table merchant_account (
  account_id   text not null,
  merchant_id  uuid not null,
  primary key (account_id, merchant_id)
);

grant select, insert on merchant_account to settlement_app;

grant select, insert, update on account to settlement_app;

-- Files as they were read: one row for each line that could be, and the reason of each that could not.
create table import (
  import_id       uuid primary key default uuidv7(),
  account_id      text not null references account,
  mapping         text not null check (char_length(mapping) between 1 and 64),
  mapping_version integer,
  file_name       text not null check (char_length(file_name) between 1 and 200),
  imported_by     text not null check (char_length(imported_by) between 1 and 1000),
  sha256          bytea check (octet_length(sha256) = 32),          -- of the whole file
  bytes           bigint not null default 0 check (bytes >= 0),

  -- READING: a process reads it. PROPOSED: its lines are there, and count once a person confirms them. TAKEN: they count.
  -- REFUSED: none of them does.
  state           text not null check (state in ('READING', 'PROPOSED', 'TAKEN', 'REFUSED')),
  confirmed_by    text check (char_length(confirmed_by) between 1 and 1000),
  -- True where one person is enough: whoever sent it may confirm it.
  sender_confirms boolean not null default false,
  reason          text check (char_length(reason) <= 64),
  detail          text check (char_length(detail) <= 1000),
  lines           integer not null default 0 check (lines >= 0),
  faults          integer not null default 0 check (faults >= 0),
  matched_at      timestamptz,                                      -- when its lines had been compared
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,

  -- The process that reads it now. A process that lost its lease can neither add a line nor end the import.
  lease_token     uuid,
  lease_until     timestamptz,

  constraint import_ended check ((state in ('TAKEN', 'REFUSED')) = (ended_at is not null)),
  constraint import_refused_says_why check ((state = 'REFUSED') = (reason is not null)),
  constraint import_taken_is_identified check (state not in ('PROPOSED', 'TAKEN') or sha256 is not null),
  constraint import_confirmed_by_another check (
    confirmed_by is null or (confirmed_by <> imported_by or sender_confirms) and state = 'TAKEN')
);

-- A file is taken once for an account, however often and by whomever it is sent.
create unique index import_once on import (account_id, sha256) where state = 'TAKEN';
create index import_open on import (lease_until) where state = 'READING';
create index import_proposed on import (created_at) where state = 'PROPOSED';
create index import_to_match on import (ended_at) where state = 'TAKEN' and matched_at is null;

grant select, insert, update on import to settlement_app;

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
  note            text check (char_length(note) <= 200),     -- the cells that could not be read and were left out

  -- The fact that it reports, and what the comparison says. No reference: facts are never deleted, and each check costs.
  fact_id         uuid,
  merchant_id     uuid,                                  -- of the payment that it names, also where no fact is reported
  verdict         text check (verdict in ('MATCHED', 'AMOUNT_DIFFERS', 'FEE_DIFFERS', 'STATUS_DIFFERS',
                    'MISSING_HERE', 'DUPLICATE', 'LATE', 'NOT_COMPARED')),
  -- People's word on a line that differs, by which it counts as an adjustment or not at all, and their difference.
  decision        text check (decision in ('ACCEPT_BANK', 'NOT_OURS')),
  decided_in      uuid,
  primary key (import_id, line_no),
  constraint line_decision_has_a_difference check ((decision is null) = (decided_in is null))
);

create index line_of_fact on line (fact_id) where fact_id is not null;
create index line_of_payout on line (account_id, payout_id) where payout_id is not null;
create index line_without_fact on line (reference_id) where fact_id is null and reference_id is not null;
-- A statement reads the lines of a merchant and a day.
create index line_of_day on line ((coalesce(settles_on, transacted_at::date)), merchant_id) where merchant_id is not null;

grant select, insert, update, delete on line to settlement_app;

-- A line that could not be read, with the reason, and those of its parts that could be: never with its text.
create table line_fault (
  import_id     uuid not null references import,
  line_no       integer not null check (line_no >= 1),
  reason        text not null check (char_length(reason) <= 200),
  kind          text check (char_length(kind) <= 32),
  reference_id  uuid,
  stake_minor   bigint check (stake_minor >= 0),         -- the amount without its sign, where it could be read
  gross_minor   bigint,                                  -- and with it
  currency      char(3),
  day           date,
  payout_id     text check (char_length(payout_id) <= 128),
  primary key (import_id, line_no),
  constraint line_fault_amount_has_a_currency check (stake_minor is null or currency is not null)
);

grant select, insert, delete on line_fault to settlement_app;

-- Payouts, of which lines are parts, and which a bank's statement reports as a whole. The sums of both are in the lines.
create table payout (
  account_id  text not null,
  payout_id   text not null check (char_length(payout_id) between 1 and 128),
  currency    char(3) not null,
  due_on      date,                                      -- the last day of its lines
  judge       boolean not null default true,             -- to be compared again
  verdict     text check (verdict in ('MATCHED', 'PAYOUT_DIFFERS', 'PAYOUT_MISSING')),
  primary key (account_id, payout_id, currency)
);

create index payout_to_judge on payout (account_id, payout_id, currency) where judge;
create index payout_awaited on payout (account_id, due_on) where verdict is null;

grant select, insert, update on payout to settlement_app;

-- Files that operators send over HTTP, part by part, until they have been read. Their bytes are kept no longer than that, and
-- sealed: banks write whole card numbers.
create table upload (
  import_id    uuid primary key,                         -- of the import that it becomes
  account_id   text not null references account,
  mapping      text not null check (char_length(mapping) between 1 and 64),
  file_name    text not null check (char_length(file_name) between 1 and 200),
  -- Its lines count once a person confirms them, also where one person is enough.
  review       boolean not null default false,
  uploaded_by  text not null check (char_length(uploaded_by) between 1 and 1000),
  bytes        bigint not null default 0 check (bytes >= 0),       -- of the parts that are there
  -- The time of its last part. Without another one for some time it is given up.
  touched_at   timestamptz not null default now(),
  -- The time at which all of it was there, as an import that is to be read.
  sealed_at    timestamptz,
  -- A file that ends the process each time is read only so often.
  tries        smallint not null default 0 check (tries >= 0)
);

create index upload_open on upload (touched_at) where sealed_at is null;

grant select, insert, update, delete on upload to settlement_app;

create table upload_part (
  import_id  uuid not null references upload on delete cascade,
  part       integer not null check (part between 0 and 4095),
  bytes      integer not null check (bytes between 1 and 262144),
  -- AES-256-GCM under a key of FILE_KEYS, bound to the file and the part.
  content    bytea storage external not null check (octet_length(content) between bytes and bytes + 100),
  primary key (import_id, part)
);

grant select, insert, delete on upload_part to settlement_app;

-- Differences ----------------------------------------------------------------------------------------------------------

-- Differences about a fact, about a payout, or about a single line that may be one that could not be read. OPEN: somebody has to look at
-- it. PROPOSED: one of two people has closed it. CLOSED: by people. RESOLVED: by what was reported later.
create table difference (
  difference_id  uuid primary key default uuidv7(),
  account_id     text not null,
  class          text not null check (class in ('AMOUNT_DIFFERS', 'FEE_DIFFERS', 'STATUS_DIFFERS', 'MISSING_AT_BANK',
                   'MISSING_HERE', 'DUPLICATE', 'LATE', 'UNREADABLE', 'PAYOUT_DIFFERS', 'PAYOUT_MISSING')),
  fact_id        uuid references fact,
  payout_id      text,
  -- No reference: a line that could not be read is no row of `line`.
  import_id      uuid,
  line_no        integer,
  amount_minor   bigint check (amount_minor >= 0),                   -- at stake; null where it could not be read
  currency       char(3),
  -- The amounts that both sides say, signed and seen from the merchant; of FEE_DIFFERS the fees.
  ours_minor       bigint,
  theirs_minor     bigint,
  theirs_currency  char(3),                                          -- null: `currency`
  detail         text not null check (char_length(detail) <= 500),
  -- The merchant whose statements wait for it, and the days. Of a line that could not be read the merchant may be unknown:
  -- then all merchants of the account wait.
  merchant_id    uuid,
  first_day      date,
  last_day       date,
  state          text not null default 'OPEN' check (state in ('OPEN', 'PROPOSED', 'CLOSED', 'RESOLVED')),
  assignee       text check (char_length(assignee) between 1 and 200),
  proposed_by    text check (char_length(proposed_by) between 1 and 1000),
  proposed_at    timestamptz,
  closed_by      text check (char_length(closed_by) between 1 and 1000),
  reason         text check (char_length(reason) between 1 and 1000),
  decision       text check (decision in ('ACCEPT_BANK', 'NOT_OURS')),
  -- The amount that counts in a merchant's statement since the bank's was accepted: signed, seen from the merchant.
  accepted_minor        bigint,
  accepted_currency     char(3),
  accepted_merchant_id  uuid,
  accepted_day          date,
  opened_at      timestamptz not null default now(),
  ended_at       timestamptz,
  constraint difference_is_about_one check (num_nonnulls(line_no, fact_id, payout_id) = 1),
  constraint difference_line_has_an_import check ((import_id is null) = (line_no is null)),
  constraint difference_amount_is_known check (class = 'UNREADABLE' or amount_minor is not null),
  constraint difference_amount_has_a_currency check (amount_minor is null or currency is not null),
  constraint difference_days check ((first_day is null) = (last_day is null)),
  constraint difference_ended check ((state in ('CLOSED', 'RESOLVED')) = (ended_at is not null)),
  constraint difference_closed_by_somebody check ((state = 'CLOSED') = (closed_by is not null)),
  constraint difference_closed_with_a_word check (state <> 'CLOSED' or decision is not null),
  constraint difference_proposed_by_somebody check (state <> 'PROPOSED' or num_nulls(proposed_by, proposed_at) = 0),
  constraint difference_of_two_people check (closed_by is distinct from proposed_by or closed_by is null)
);

create unique index difference_of_fact on difference (fact_id) where state in ('OPEN', 'PROPOSED') and fact_id is not null;
create unique index difference_of_line on difference (import_id, line_no)
  where state in ('OPEN', 'PROPOSED') and line_no is not null;
create unique index difference_of_payout on difference (account_id, payout_id, currency)
  where state in ('OPEN', 'PROPOSED') and payout_id is not null;
create index difference_past_payout on difference (account_id, payout_id) where payout_id is not null;
-- A statement asks which unread lines may be of its day.
create index difference_unread on difference (account_id, first_day, last_day)
  where class = 'UNREADABLE' and state in ('OPEN', 'PROPOSED');
create index difference_list on difference (state, difference_id);
-- The number of open ones of each class, and the oldest of them.
create index difference_open on difference (class, difference_id) where state in ('OPEN', 'PROPOSED');
create index difference_past on difference (fact_id) where fact_id is not null;
create index difference_past_line on difference (import_id, line_no) where line_no is not null;

grant select, insert, update on difference to settlement_app;

create table difference_note (
  difference_id  uuid not null references difference,
  at             timestamptz not null default clock_timestamp(),
  actor          text not null check (char_length(actor) between 1 and 200),
  note           text not null check (char_length(note) between 1 and 1000),
  primary key (difference_id, at, actor)
);

grant select, insert on difference_note to settlement_app;

-- Chargebacks ----------------------------------------------------------------------------------------------------------

-- Reports to payments about chargebacks: a line of a bank's file that names a payment, once for all copies of the line.
create table chargeback_report (
  -- SHA-256 of the content that all copies of the line share, in any file.
  line_id     text primary key check (line_id ~ '^[0-9a-f]{64}$'),
  import_id   uuid not null,
  line_no     integer not null,
  payment_id  uuid not null,
  -- The time of the next report to payments; null once it has the line.
  tell_at     timestamptz default now(),
  unique (import_id, line_no),
  foreign key (import_id, line_no) references line
);

create index chargeback_report_due on chargeback_report (tell_at) where tell_at is not null;

grant select, insert, update (tell_at) on chargeback_report to settlement_app;

-- Statements -----------------------------------------------------------------------------------------------------------

-- The amount owed to a merchant for a day, from the lines that agree with our records.
create table statement (
  statement_id  uuid primary key default uuidv7(),
  merchant_id   uuid not null,
  currency      char(3) not null,
  day           date not null,
  revision      integer not null default 0 check (revision >= 0),      -- the latest; 0 until it is complete for the first time
  -- True if the bank had not reported everything up to the day. It is looked at again once the bank has.
  awaits        boolean not null default false,
  unique (day, merchant_id, currency)
);

create index statement_awaiting on statement (merchant_id, currency, day) where awaits;

grant select, insert, update (revision, awaits) on statement to settlement_app;

-- The totals of a merchant's day each time that it was complete with another content. Amounts in minor units, and seen
-- from the merchant: what is given back is negative.
create table statement_revision (
  statement_id       uuid not null references statement,
  revision           integer not null check (revision >= 1),
  sales_minor        bigint not null,
  refunds_minor      bigint not null,
  chargebacks_minor  bigint not null,
  adjustments_minor  bigint not null,
  commission_minor   bigint not null,
  bank_fees_minor    bigint not null,
  lines              integer not null check (lines >= 0),
  digest             bytea not null check (octet_length(digest) = 32),  -- SHA-256 of the lines that it is made of, in their order
  recorded_at        timestamptz not null default now(),
  primary key (statement_id, revision)
);

grant select, insert on statement_revision to settlement_app;

-- Possible changes of a statement, or its completion, until the service has looked. Rows are only added, so that no
-- writer of lines or facts waits for another, and a change that is noted twice is looked at once.
create table statement_change (
  change_id    uuid primary key default uuidv7(),
  merchant_id  uuid not null,
  currency     char(3) not null,
  day          date,                                     -- null: of any day that awaits the bank
  not_before   timestamptz,                              -- when the day will be over; null where something has changed
  look_at      timestamptz not null default now()        -- from when on; while a process looks, when another one may
);

create index statement_change_due on statement_change (look_at);
create index statement_change_age on statement_change (change_id) where not_before is null;
create index statement_change_planned on statement_change (not_before) where not_before is not null;
create unique index statement_change_day on statement_change (merchant_id, currency, day) where not_before is not null;
create index statement_change_of_merchant on statement_change (merchant_id, currency, look_at);

grant select, insert, update (look_at), delete on statement_change to settlement_app;

-- Changes of statements ------------------------------------------------------------------------------------------------

-- A change to any part of a statement is noted in the same transaction, whoever makes it: the service, the command that
-- takes files, a person with psql. So nothing is found by searching old rows.

-- The days of all lines about these facts: a payment's commission is spread over them, so that one line can change another's
-- part.
create function note_days_of_facts(facts uuid[]) returns void
language sql set search_path = settlement, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  insert into statement_change (merchant_id, currency, day)
  select distinct merchant_id, currency, coalesce(settles_on, transacted_at::date) from line
  where fact_id = any(facts) and merchant_id is not null and coalesce(settles_on, transacted_at::date) is not null
$$;

-- A line has found its fact, or counts, or counts no more.
create function note_changed_lines() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  perform note_days_of_facts(array(
    select fact_id from old_line where fact_id is not null union select fact_id from new_line where fact_id is not null));
  -- A line that reports no fact; and the day before the change, if it was another.
  insert into statement_change (merchant_id, currency, day)
  select distinct merchant_id, currency, coalesce(settles_on, transacted_at::date) from new_line
  where merchant_id is not null and fact_id is null and coalesce(settles_on, transacted_at::date) is not null
  union
  (select merchant_id, currency, coalesce(settles_on, transacted_at::date) from old_line
  where merchant_id is not null and coalesce(settles_on, transacted_at::date) is not null
  except
  select merchant_id, currency, coalesce(settles_on, transacted_at::date) from new_line);
  return null;
end $$;
create trigger line_changed after update on line
  referencing old table as old_line new table as new_line
  for each statement execute function note_changed_lines();

-- Notes facts with another commission, facts whose refunds give another part of it back, and facts that no longer wait for
-- the bank. Old and new rows are joined by a hash, since a plan for one fact would compare each of a thousand with every
-- other.
create function note_changed_facts() returns trigger
language plpgsql set search_path = settlement, pg_temp
  set enable_seqscan = off set enable_nestloop = off as $$
declare
  priced uuid[];
  parents uuid[];
begin
  select array_agg(is_now.fact_id), array_agg(coalesce(is_now.parent_id, is_now.fact_id)) into priced, parents
  from new_fact as is_now join old_fact as was on was.fact_id = is_now.fact_id
  where (is_now.standing, is_now.amount_minor, is_now.occurred_at, is_now.commission_minor, is_now.refunds_commission)
    is distinct from (was.standing, was.amount_minor, was.occurred_at, was.commission_minor, was.refunds_commission);
  if priced is not null then
    perform note_days_of_facts(priced || array(select fact_id from fact where parent_id = any(parents)));
  end if;
  insert into merchant_account (account_id, merchant_id)
  select distinct is_now.account_id, is_now.merchant_id
  from new_fact as is_now join old_fact as was on was.fact_id = is_now.fact_id
  where is_now.account_id <> was.account_id
  on conflict do nothing;
  insert into statement_change (merchant_id, currency)
  select distinct is_now.merchant_id, is_now.currency
  from new_fact as is_now join old_fact as was on was.fact_id = is_now.fact_id
  where (was.standing = 'DONE' and not was.reported
      and (is_now.reported or (is_now.standing, is_now.occurred_at) is distinct from (was.standing, was.occurred_at)))
    or is_now.voids > was.voids;                         -- its payment is awaited no longer
  return null;
end $$;
create trigger fact_changed after update on fact
  referencing old table as old_fact new table as new_fact
  for each statement execute function note_changed_facts();

-- A newly known refund changes which part of the commission the later refunds of its payment give back. A newly known
-- payment has the commission of its refunds: their feed may be ahead.
create function note_new_facts() returns trigger
language plpgsql set search_path = settlement, pg_temp
  set enable_seqscan = off as $$
declare
  parents constant uuid[] := array(
    select coalesce(parent_id, fact_id) from new_fact where kind <> 'REFUND' or standing = 'DONE');
begin
  perform note_days_of_facts(array(select fact_id from fact where parent_id = any(parents)));
  insert into statement_change (merchant_id, currency) select distinct merchant_id, currency from new_fact where voids;
  -- In one order, so that two processes that add the same ones do not wait for each other in turns.
  insert into merchant_account (account_id, merchant_id)
  select distinct account_id, merchant_id from new_fact order by account_id, merchant_id
  on conflict do nothing;
  return null;
end $$;
create trigger fact_added after insert on fact
  referencing new table as new_fact
  for each statement execute function note_new_facts();

-- A difference was closed by people, or is gone. The days that wait for a line that could not be read are noted in an order
-- with those that begin to wait (note_changed_account).
create function note_ended_differences() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
declare
  ended constant uuid[] := array(
    select fact_id from new_difference where fact_id is not null and state in ('CLOSED', 'RESOLVED'));
begin
  if exists (select from new_difference where class = 'UNREADABLE' and state <> 'PROPOSED') then
    perform pg_advisory_xact_lock(hashtextextended('settlement.account_changed', 0));
    insert into statement_change (merchant_id, currency, day)
    select distinct statement.merchant_id, statement.currency, statement.day
    from new_difference as unread join statement on statement.day between unread.first_day and unread.last_day
    where unread.class = 'UNREADABLE' and unread.state <> 'PROPOSED'
      and statement.currency = coalesce(unread.currency, statement.currency)
      and (statement.merchant_id = unread.merchant_id or unread.merchant_id is null and exists (
        select from merchant_account as theirs
        where theirs.account_id = unread.account_id and theirs.merchant_id = statement.merchant_id));
  end if;
  -- The amount that a person has read counts.
  insert into statement_change (merchant_id, currency, day)
  select distinct accepted_merchant_id, accepted_currency, accepted_day from new_difference
  where state = 'CLOSED' and accepted_merchant_id is not null and accepted_currency is not null and accepted_day is not null;
  if cardinality(ended) > 0 then
    perform note_days_of_facts(ended);
    insert into statement_change (merchant_id, currency)
    select distinct merchant_id, currency from fact where fact_id = any(ended);
  end if;
  return null;
end $$;
create trigger difference_added after insert on difference
  referencing new table as new_difference
  for each statement execute function note_ended_differences();
create trigger difference_changed after update on difference
  referencing new table as new_difference
  for each statement execute function note_ended_differences();

-- The first day of an account's files, and the clock by which its days end, concern all days that await the bank. A day
-- that began to wait in another transaction at the same moment would not be seen by this, and would not see it: so each
-- of the two waits for the other's end. Days that begin to wait do not wait for each other.
create function note_changed_account() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('settlement.account_changed', 0));
  -- A statement of its own sees what was committed meanwhile.
  insert into statement_change (merchant_id, currency) select distinct merchant_id, currency from statement where awaits;
  return null;
end $$;
create trigger account_changed after update on account
  for each row when ((old.compared_since, old.time_zone) is distinct from (new.compared_since, new.time_zone))
  execute function note_changed_account();

create function note_day_that_waits() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('settlement.account_changed', 0));
  return null;
end $$;
-- Runs for each inserting command, even one that finds the row and has it wait again.
create trigger statement_waits before insert on statement
  for each statement execute function note_day_that_waits();

revoke all on function note_days_of_facts(uuid[]), note_changed_lines(), note_changed_facts(), note_new_facts(),
  note_ended_differences(), note_changed_account(), note_day_that_waits() from public;
grant execute on function note_days_of_facts(uuid[]) to settlement_app;

-- Events ---------------------------------------------------------------------------------------------------------------

-- Events about statements leave as events do elsewhere: one row for each, committed with what it reports, and closed
-- when the webhook dispatcher confirms that it has the event. The columns are those of every service's outbox;
-- payment_id is the statement's id.
create table outbox (
  event_id          uuid primary key default uuidv7(),   -- x-event-id; its time is occurred_at
  occurred_at       timestamptz not null generated always as (uuid_extract_timestamp(event_id)) stored,
  event_type        text not null,
  payment_id        uuid not null,
  merchant_id       uuid not null,
  status            text not null,
  body              bytea not null,                      -- the webhook's exact bytes
  traceparent       text,
  xact_id           xid8 not null default pg_current_xact_id(),
  confirmed_at      timestamptz,
  publish_attempts  integer not null default 0 check (publish_attempts >= 0),
  publish_at        timestamptz                          -- when it is published again, unless confirmed before
);

-- Rows are found by what they lack, never by a position in a sequence: transactions do not commit in its order.
create index outbox_unpublished on outbox (event_id) where confirmed_at is null and publish_attempts = 0;
create index outbox_unconfirmed on outbox (publish_at) where confirmed_at is null and publish_attempts > 0;

grant select, insert, update (confirmed_at, publish_attempts, publish_at) on outbox to settlement_app;

-- Deletes a page of the outbox: rows that are confirmed and older than given. An unconfirmed row stays, however old it is.
-- It runs as the owner, since the service may not remove an event. 3 days are the least that the settings allow. One
-- process deletes, and the others find nothing to do. `after` is the end of the page before. `reached` is the end of this
-- one, and null when nothing is behind it.
create function purge_outbox(older_than interval, after uuid, rows_max integer, out deleted integer, out reached uuid)
language plpgsql security definer set search_path = settlement, pg_temp as $$
declare
  -- Ids are UUIDv7, so their order is that of the events.
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
begin
  if older_than < interval '3 days' or rows_max not between 1 and 10000 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  deleted := 0;
  if not pg_try_advisory_xact_lock(hashtext('settlement.purge_outbox')) then return; end if;
  ids := array(select event_id from outbox where event_id > after and event_id < too_young order by event_id limit rows_max);
  if cardinality(ids) = rows_max then reached := ids[rows_max]; end if;
  delete from outbox where event_id = any(ids) and confirmed_at is not null;
  get diagnostics deleted = row_count;
end $$;
revoke all on function purge_outbox(interval, uuid, integer) from public;
grant execute on function purge_outbox(interval, uuid, integer) to settlement_app;

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

grant select, insert on audit_entry to settlement_app;
-- The auditor reads the log, and nothing else. The installation has made the role.
grant select on audit_entry to holdfast_auditor;

-- Migrations -----------------------------------------------------------------------------------------------------------

-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to settlement_app;
