import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** Texts here are constants of the code, migrations, and names and types that PostgreSQL's catalogue gives. */
const CHECKED = [
  "packages/postgres/src/commands/migrate.ts",
  "services/payments/src/accept/three-ds/session-queries.ts",
  "services/webhook-dispatcher/src/measure.ts",
  "tools/installation/src/archive/archived-tables.ts",
  "tools/installation/src/evidence/scan-database.ts",
];

test("no text becomes SQL as it is, but for those that were looked at", () => {
  const files = sourceFiles("{services,packages,tools}/*/src/**/*.ts");
  expect(files.size).toBeGreaterThan(400);
  const found = [...files].filter(
    ([path, source]) => !path.endsWith(".test.ts") && source.includes("sql.raw("),
  );
  expect(found.map(([path]) => path).toSorted()).toEqual(CHECKED);
});
