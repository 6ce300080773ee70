import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployDir } from "./build-overlay.ts";
import { contractingStatements } from "./contracting-statements.ts";

const repository = join(deployDir, "..");

test("migrations only expand: pods of the release before live with each of them", () => {
  const files = globSync("services/*/migrations/*.sql", { cwd: repository });
  expect(files.length).toBeGreaterThan(5);
  const found = files.flatMap((file) =>
    contractingStatements(readFileSync(join(repository, file), "utf8")).map((one) => ({ file, ...one })),
  );
  expect(found).toEqual([]);
});

test.each([
  "drop table payment;",
  "drop function pay(integer);",
  "alter table payment drop column note;",
  "ALTER TABLE payment\n  RENAME COLUMN note TO remark;",
  "alter table payment rename to payments;",
  "alter table payment alter column amount type text;",
  "alter table payment alter note set not null;",
  "alter table payment add column note text not null;",
  "alter table payment add constraint short check (length(note) < 9);",
  "alter table payment drop constraint a, add constraint b check (true);",
  "alter type state drop value 'OLD';",
  "revoke select on payment from payments_app;",
  "truncate payment;",
  "delete from payment where amount = 0;",
  "-- no longer needed\ndrop table payment;",
  "create table note (id int); drop table payment;",
])("refused without a mark: %s", (sql) => {
  expect(contractingStatements(sql)).toHaveLength(1);
  expect(
    contractingStatements(`-- contract: nothing has read it since 0.3.0\n${sql.split("; ").at(-1)}`),
  ).toEqual([]);
});

test.each([
  "create table payment (id uuid primary key, note text not null);",
  "create table payment (id uuid);\nalter table payment add column note text not null;\ndrop table payment;",
  "alter table payment add column note text;",
  "alter table payment add column note text not null default '';",
  "alter table payment alter column note drop not null;",
  "alter table payment drop constraint states, add constraint states check (state in ('A', 'B'));",
  "create index on payment (note); drop index payment_note_idx;",
  "create function f() returns int language sql as $$ delete from payment; select 1 $$;\nrevoke all on function f() from public;",
  "grant select on payment to payments_app;",
])("taken: %s", (sql) => {
  expect(contractingStatements(sql)).toEqual([]);
});
