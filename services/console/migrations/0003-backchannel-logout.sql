-- Logouts that the identity provider tells of (OpenID Connect Back-Channel Logout 1.0). Runs as console_owner; the service
-- runs as console_app.
--
-- A logout token is good once. What is kept of it is the hash of its id, for as long as it could be sent again.

create table logout_token (
  token_hash  bytea primary key check (octet_length(token_hash) = 32), -- SHA-256 of its issuer and `jti`
  created_at  timestamptz not null default now()
);

create index logout_token_created on logout_token (created_at);

grant select, insert (token_hash), delete on logout_token to console_app;

-- What such a token names: a session at the provider, or a person.
create index session_provider on session (provider_session) where provider_session is not null;
create index session_subject on session (subject);
