// The release to upgrade from: the newest heading of CHANGELOG.md that names a commit (docs/release.md).
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

/**
 * The commit of `## 0.1.0 (4f0c2d9)`. A heading without a commit is not released yet. Before the first
 * release there is no commit, and the suites run HEAD against HEAD.
 */
export function releaseBefore(changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")): string {
  return /^## \d+\.\d+\.\d+ \(([0-9a-f]{7,40})\)$/m.exec(changelog)?.[1] ?? "HEAD";
}

/** The migrations that a service had in a revision, in their order; none of a service that came later. */
export function migrationsAt(revision: string, service: string): string[] {
  const folder = `services/${service}/migrations/`;
  const listed = execFileSync("git", ["ls-tree", "--name-only", revision, folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((path) => path.endsWith(".sql"));
  return files.map((path) => path.slice(folder.length, -".sql".length)).toSorted();
}
