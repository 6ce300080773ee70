// Stands in for a service's migration.
import { Client } from "pg";

const client = new Client({ connectionString: process.env.MIGRATION_DATABASE_URL ?? "" });
await client.connect();
await client.query("create table payment (id int); grant select, insert on payment to payments_app");
await client.end();
