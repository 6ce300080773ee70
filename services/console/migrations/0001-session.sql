-- Who is signed in to the console. Runs as console_owner; the service runs as console_app.
--
-- A row is of no use to whoever reads it: the id that the browser has is kept as its hash, and the person's tokens are
-- sealed under a key that the database does not have.

create table session (
  session_hash      bytea primary key check (octet_length(session_hash) = 32),    -- SHA-256 of the cookie's value
  subject           text not null check (char_length(subject) between 1 and 200), -- of the person's token
  provider_session  text check (char_length(provider_session) <= 255),            -- the identity provider's `sid`
  sealed            bytea not null check (octet_length(sealed) <= 65536),         -- tokens and roles
  authenticated_at  timestamptz not null,                                         -- the provider's `auth_time`
  access_ends_at    timestamptz not null,                                         -- the access token's end
  created_at        timestamptz not null default now(),
  seen_at           timestamptz not null default now(),
  ends_at           timestamptz not null
);

create index session_created on session (created_at);

grant select, delete on session to console_app;
grant insert (session_hash, subject, provider_session, sealed, authenticated_at, access_ends_at, ends_at) on session to console_app;
grant update (seen_at) on session to console_app;
