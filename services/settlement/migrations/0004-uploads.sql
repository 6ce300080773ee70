-- Files that operators send over HTTP, part by part, until they have been read. Their bytes are kept no longer than that.

create table upload (
  import_id    uuid primary key,                         -- of the import that it becomes
  account_id   text not null references account,
  mapping      text not null check (char_length(mapping) between 1 and 64),
  file_name    text not null check (char_length(file_name) between 1 and 200),
  uploaded_by  text not null check (char_length(uploaded_by) between 1 and 200),
  -- When its last part came. Without another one for some time it is given up.
  touched_at   timestamptz not null default now(),
  -- All of it is there, and it is an import that is to be read.
  sealed_at    timestamptz,
  -- A file that ends the process each time is read only so often.
  tries        smallint not null default 0 check (tries >= 0)
);

create index upload_open on upload (touched_at) where sealed_at is null;

create table upload_part (
  import_id  uuid not null references upload on delete cascade,
  part       integer not null check (part between 0 and 4095),
  content    bytea not null check (octet_length(content) between 1 and 262144),
  primary key (import_id, part)
);

-- Read once: to compress it would cost more than it saves.
alter table upload_part alter column content set storage external;

grant select, insert, update, delete on upload to settlement_app;
grant select, insert, delete on upload_part to settlement_app;
