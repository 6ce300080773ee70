import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const REPOSITORY = join(import.meta.dirname, "..", "..");

/**
 * Every file of the repository that git tracks or would track, by its path from the root; ignored files are not ours.
 */
export const FILES: readonly string[] = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard"],
  { cwd: REPOSITORY, encoding: "utf8" },
)
  .split("\n")
  .filter((path) => path !== "" && !path.includes("node_modules/"));

export function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}
