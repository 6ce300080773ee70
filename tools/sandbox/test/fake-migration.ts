// Stands in for a service's migration: leaves a table with one row for each run.
import { Client } from "pg";

const client = new Client({ connectionString: process.env.MIGRATION_DATABASE_URL ?? "" });
await client.connect();
await client.query(
  "create table if not exists runs (at timestamptz default now()); insert into runs default values",
);
await client.end();
