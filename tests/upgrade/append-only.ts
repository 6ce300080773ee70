import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./release-before.ts";

/**
 * Lists changes to migrations of a release that installations have run. Only later migrations may be added,
 * since a schema refuses any other history.
 */
export function brokenMigrations(release: string, root = ROOT): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const released = git("ls-tree", "-r", "--name-only", release, "services")
    .split("\n")
    .filter((path) => /^services\/[\w-]+\/migrations\/.+\.sql$/.test(path));
  const today = globSync("services/*/migrations/*.sql", { cwd: root }).toSorted();
  const isLater = (path: string) =>
    released.every((other) => dirname(other) !== dirname(path) || other < path);
  const isChanged = (path: string) =>
    readFileSync(join(root, path), "utf8") !== git("show", `${release}:${path}`);
  return [
    ...released.filter((path) => !today.includes(path)).map((path) => `${path} is gone`),
    ...today.flatMap((path) => {
      if (released.includes(path)) return isChanged(path) ? [`${path} is changed`] : [];
      return isLater(path) ? [] : [`${path} comes before a released one`];
    }),
  ];
}
