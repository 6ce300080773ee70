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

grant select, insert on audit_entry to gateway_app;
