import { expect, test } from "vitest";
import { migrationsAt, releaseBefore } from "./release-before.ts";

test("the release before is the newest heading with a commit; without one HEAD is upgraded to itself", () => {
  expect(releaseBefore("# Changelog\n\n## 0.1.0\n\nThe first release.\n")).toBe("HEAD");
  const changelog = "# Changelog\n\n## 0.3.0\n\n## 0.2.0 (1234abc)\n\n## 0.1.0 (4f0c2d9)\n";
  expect(releaseBefore(changelog)).toBe("1234abc");
});

test("a revision's migrations are in their order, and a service that it does not have has none", () => {
  const migrations = migrationsAt("HEAD", "payments");
  expect(migrations[0]).toMatch(/^0001-/);
  expect(migrations).toEqual(migrations.toSorted());
  expect(migrationsAt("HEAD", "loyalty")).toEqual([]);
});
