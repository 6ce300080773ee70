-- A service looks which migrations have run before it starts (ADR 0145).
grant select (name) on migration to settlement_app;
