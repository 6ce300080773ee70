-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to payments_app;
