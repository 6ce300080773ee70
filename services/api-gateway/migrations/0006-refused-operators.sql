-- People whose tokens are refused although the identity provider's signature is valid: at the next request, not when the
-- token ends. Who refused and who re-admitted somebody stands in the audit log.

create table refused_operator (
  subject     text primary key check (char_length(subject) between 1 and 200),
  reason      text not null check (char_length(reason) between 1 and 1000),
  refused_by  text not null check (refused_by <> subject),
  refused_at  timestamptz not null default now()
);

grant select, delete on refused_operator to gateway_operator, gateway_app;
grant insert (subject, reason, refused_by) on refused_operator to gateway_operator, gateway_app;
