-- A service's log level that somebody has changed for a time: the operator API's replicas publish it again and again until
-- then. A gateway of the version before does not know the table.

create table log_level (
  service     text primary key,
  level       text not null check (level in ('debug', 'info')),
  ends_at     timestamptz not null,
  changed_by  text not null,
  changed_at  timestamptz not null default now(),
  check (ends_at <= changed_at + interval '1 hour')
);

grant select, delete on log_level to gateway_operator;
grant insert (service, level, ends_at, changed_by, changed_at) on log_level to gateway_operator;
grant update (level, ends_at, changed_by, changed_at) on log_level to gateway_operator;

-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to gateway_merchant, gateway_operator, gateway_public, gateway_staff;
