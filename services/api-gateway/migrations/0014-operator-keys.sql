-- Idempotency-Keys of operators. The answer that is kept has no secret in it: what is shown once is shown once.

create table operator_key (
  subject       text        not null check (char_length(subject) between 1 and 200),
  -- Method and path of the request.
  scope         text        not null check (octet_length(scope) between 1 and 4096),
  key           text        not null check (char_length(key) between 1 and 255),
  fingerprint   bytea       not null check (octet_length(fingerprint) = 32),
  -- What the request creates, where its id is generated with the key.
  resource_id   uuid        not null,
  lease_id      uuid        not null,
  leased_until  timestamptz not null,
  -- JSON of the first final answer; null while there is none.
  answer        bytea       check (octet_length(answer) <= 1048576),
  created_at    timestamptz not null default now(),
  primary key (subject, scope, key)
);

-- For the purge.
create index operator_key_created_at on operator_key (created_at);

grant select, delete on operator_key to gateway_operator;
grant insert (subject, scope, key, fingerprint, resource_id, lease_id, leased_until) on operator_key
  to gateway_operator;
grant update (lease_id, leased_until, answer) on operator_key to gateway_operator;
