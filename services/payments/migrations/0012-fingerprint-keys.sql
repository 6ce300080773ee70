-- The key of card fingerprints can be replaced: rows say under which key they were made. `0` is the key of services that
-- knew one only (PAN_FINGERPRINT_KEY); an older version that runs beside this one writes it without knowing.

alter table payment
  add column pan_fingerprint_key_id text not null default '0' check (char_length(pan_fingerprint_key_id) between 1 and 32),
  -- Removed when its key has leaked: then it would tell the number.
  alter column pan_fingerprint drop not null;

-- When each key made fingerprints: what was made then is compared until it is too old to count. A service notes its key
-- here from time to time. An index on the rows would cost every payment, and this costs none.
create table pan_fingerprint_key (
  key_id         text primary key check (char_length(key_id) between 1 and 32),
  first_used_at  timestamptz not null default now(),
  last_used_at   timestamptz not null default now()
);

insert into pan_fingerprint_key (key_id, first_used_at)
select '0', created_at from idempotency_key order by created_at limit 1;

grant select, insert, update (last_used_at) on pan_fingerprint_key to payments_app;
