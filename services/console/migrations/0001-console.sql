-- The people who are signed in to the console, and their forms. Runs as console_owner; the service runs as console_app.

-- Sessions -------------------------------------------------------------------------------------------------------------

-- A row is of no use to its reader: the id that the browser has is kept as its hash, and the person's tokens are sealed
-- under a key that the database does not have.
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

-- Index for the purge.
create index session_created on session (created_at);
-- A logout token names a session at the provider, or a person.
create index session_provider on session (provider_session) where provider_session is not null;
create index session_subject on session (subject);

grant select, delete on session to console_app;
grant insert (session_hash, subject, provider_session, sealed, authenticated_at, access_ends_at, ends_at) on session
  to console_app;
grant update (seen_at) on session to console_app;

-- Logouts --------------------------------------------------------------------------------------------------------------

-- Logouts that the identity provider reports (OpenID Connect Back-Channel Logout 1.0). A logout token is good once: the
-- hash of its id is kept for as long as it could be sent again.
create table logout_token (
  token_hash  bytea primary key check (octet_length(token_hash) = 32), -- SHA-256 of its issuer and `jti`
  created_at  timestamptz not null default now()
);

create index logout_token_created on logout_token (created_at);

grant select, insert (token_hash), delete on logout_token to console_app;

-- Forms ----------------------------------------------------------------------------------------------------------------

-- Forms that waited for a sign-in. A row is of no use to its reader: the id that the browser has, the person and the page
-- are kept as one hash, and what was entered is sealed. Secrets, card numbers and files are never among it.
create table kept_form (
  form_hash    bytea primary key check (octet_length(form_hash) = 32),    -- SHA-256 of person, id and page
  person_hash  bytea not null check (octet_length(person_hash) = 32),     -- SHA-256 of subject and merchant
  sealed       bytea not null check (octet_length(sealed) <= 65536),      -- the fields
  created_at   timestamptz not null default now()
);

create index kept_form_created on kept_form (created_at);
-- A person's oldest forms are deleted for newer ones.
create index kept_form_person on kept_form (person_hash, created_at);

grant select, insert (form_hash, person_hash, sealed), delete on kept_form to console_app;

-- Migrations -----------------------------------------------------------------------------------------------------------

-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to console_app;
