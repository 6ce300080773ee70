-- What payments is told about chargebacks: a line of a bank's file that names a payment, once for all copies of the line.

create table chargeback_report (
  -- SHA-256 of what a copy of the line, in whatever file, has in common with it.
  line_id     text primary key check (line_id ~ '^[0-9a-f]{64}$'),
  import_id   uuid not null,
  line_no     integer not null,
  payment_id  uuid not null,
  -- When payments is told next; null once it has the line.
  tell_at     timestamptz default now(),
  unique (import_id, line_no),
  foreign key (import_id, line_no) references line
);

create index chargeback_report_due on chargeback_report (tell_at) where tell_at is not null;

grant select, insert, update (tell_at) on chargeback_report to settlement_app;

-- What was taken before is told, too.
insert into chargeback_report (line_id, import_id, line_no, payment_id)
select encode(sha256(convert_to(jsonb_build_array(account_id, fact_id, kind, bank_reference, item, installment,
    gross_minor, currency, transacted_at)::text, 'UTF8')), 'hex'), import_id, line_no, fact_id
from line where kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') and fact_id is not null
order by import_id, line_no
on conflict do nothing;
