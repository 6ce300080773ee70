-- Nobody can be shown the challenge of a session that has ended. The service empties those that end from now on, also what
-- a process of the version before writes meanwhile. The two columns go a release later, when none of that version runs.
update three_ds_session set challenge_url = null, challenge_fields = null
where challenge_fields is not null and expires_at < now();

create index if not exists three_ds_session_shown on three_ds_session (expires_at)
  where challenge is not null or challenge_fields is not null;
