import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export const REPOSITORY = join(import.meta.dirname, "..", "..");

/** Source files of the repository by path, without installed packages. */
export function sourceFiles(...patterns: string[]): Map<string, string> {
  const paths = patterns.flatMap((pattern) =>
    globSync(pattern, { cwd: REPOSITORY, exclude: (path) => /(^|\/)node_modules(\/|$)/.test(path) }),
  );
  return new Map(
    paths.map((path) => [relative("", path), readFileSync(join(REPOSITORY, path), "utf8")] as const),
  );
}
