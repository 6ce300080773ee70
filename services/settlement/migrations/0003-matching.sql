-- Which line reports which fact, what the comparison says, and what differs until somebody has closed it.

alter table fact
  add column reported  boolean not null default false,   -- a line of a bank's file reports it
  add column judge     boolean not null default false,   -- to be compared again
  add column verdict   text check (verdict in ('MATCHED', 'AMOUNT_DIFFERS', 'FEE_DIFFERS', 'STATUS_DIFFERS',
                         'MISSING_AT_BANK', 'LATE'));

alter table line
  add column fact_id  uuid,                              -- no reference: facts are never deleted, and each check costs
  add column verdict  text check (verdict in ('MATCHED', 'AMOUNT_DIFFERS', 'FEE_DIFFERS', 'STATUS_DIFFERS',
                        'MISSING_HERE', 'DUPLICATE', 'LATE', 'NOT_COMPARED'));

create index line_of_fact on line (fact_id) where fact_id is not null;
create index line_without_fact on line (reference_id) where fact_id is null and reference_id is not null;
create index fact_of_parent on fact (parent_id) where parent_id is not null;
create index fact_at_bank on fact (external_transaction_id) where external_transaction_id is not null;
create index fact_auth_code on fact (auth_code, amount_minor) where auth_code is not null;
create index fact_to_judge on fact (fact_id) where judge;
create index fact_unreported on fact (account_id, occurred_at)
  where standing = 'DONE' and not reported and verdict is null;

-- What differs, about a fact or about a single line. OPEN: somebody has to look at it. PROPOSED: one of two people has
-- closed it. CLOSED: by people. RESOLVED: by what was reported later.
create table difference (
  difference_id  uuid primary key default uuidv7(),
  account_id     text not null,
  class          text not null check (class in ('AMOUNT_DIFFERS', 'FEE_DIFFERS', 'STATUS_DIFFERS', 'MISSING_AT_BANK',
                   'MISSING_HERE', 'DUPLICATE', 'LATE')),
  fact_id        uuid references fact,
  import_id      uuid,
  line_no        integer,
  amount_minor   bigint not null check (amount_minor >= 0),          -- at stake
  currency       char(3) not null,
  detail         text not null check (char_length(detail) <= 500),
  state          text not null default 'OPEN' check (state in ('OPEN', 'PROPOSED', 'CLOSED', 'RESOLVED')),
  assignee       text check (char_length(assignee) between 1 and 200),
  proposed_by    text check (char_length(proposed_by) between 1 and 200),
  closed_by      text check (char_length(closed_by) between 1 and 200),
  reason         text check (char_length(reason) between 1 and 1000),
  opened_at      timestamptz not null default now(),
  ended_at       timestamptz,
  foreign key (import_id, line_no) references line,
  constraint difference_is_about_one check ((line_no is null) <> (fact_id is null)),
  constraint difference_line_has_an_import check ((import_id is null) = (line_no is null)),
  constraint difference_ended check ((state in ('CLOSED', 'RESOLVED')) = (ended_at is not null)),
  constraint difference_closed_by_somebody check ((state = 'CLOSED') = (closed_by is not null)),
  constraint difference_of_two_people check (closed_by is distinct from proposed_by or closed_by is null)
);

create unique index difference_of_fact on difference (fact_id) where state in ('OPEN', 'PROPOSED') and fact_id is not null;
create unique index difference_of_line on difference (import_id, line_no)
  where state in ('OPEN', 'PROPOSED') and line_no is not null;
create index difference_list on difference (state, difference_id);
create index difference_past on difference (fact_id) where fact_id is not null;
create index difference_past_line on difference (import_id, line_no) where line_no is not null;

create table difference_note (
  difference_id  uuid not null references difference,
  at             timestamptz not null default clock_timestamp(),
  actor          text not null check (char_length(actor) between 1 and 200),
  note           text not null check (char_length(note) between 1 and 1000),
  primary key (difference_id, at, actor)
);

grant select, insert, update on difference to settlement_app;
grant select, insert on difference_note to settlement_app;
