-- An endpoint that fails is reported to its merchant's other endpoints, once for as long as it fails.
set local lock_timeout = '3s';

alter table endpoint_health add column warned_at timestamptz;

create index endpoint_health_failing on endpoint_health (failing_since) where failing_since is not null;
