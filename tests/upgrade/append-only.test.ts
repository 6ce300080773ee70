import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { brokenMigrations } from "./append-only.ts";
import { releaseBefore } from "./release-before.ts";

const first = "services/payments/migrations/0001-payments.sql";
const third = "services/payments/migrations/0003-order.sql";

/** A repository whose only commit has two migrations of one service. */
function released() {
  const root = mkdtempSync(join(tmpdir(), "holdfast-history-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.test", ...args], {
      cwd: root,
    });
  write(first, "create table payment ();\n");
  write(third, "create index on payment (order_id);\n");
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Release");
  return { root, write, remove: (path: string) => rmSync(join(root, path)) };
}

test("a migration after the released ones, and the first of a new service, may be added", () => {
  const { root, write } = released();
  expect(brokenMigrations("HEAD", root)).toEqual([]);
  write("services/payments/migrations/0004-note.sql", "alter table payment add column note text;\n");
  write("services/loyalty/migrations/0001-loyalty.sql", "create table points ();\n");
  expect(brokenMigrations("HEAD", root)).toEqual([]);
});

test("a released migration that is changed, gone or has a new one before it is named", () => {
  const { root, write, remove } = released();
  write(first, "create table payment (id uuid);\n");
  remove(third);
  write("services/payments/migrations/0002-note.sql", "alter table payment add column note text;\n");
  expect(brokenMigrations("HEAD", root)).toEqual([
    `${third} is gone`,
    `${first} is changed`,
    "services/payments/migrations/0002-note.sql comes before a released one",
  ]);
});

test("this checkout only adds to the migrations of the release before", () => {
  const release = releaseBefore();
  // Before the first release every migration may change.
  expect(release === "HEAD" ? [] : brokenMigrations(release)).toEqual([]);
});
