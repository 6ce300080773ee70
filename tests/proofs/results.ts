import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Result = {
  part: string;
  command: string;
  passed: number;
  failed: number;
  minutes: number;
  verdict: "green" | "RED";
  seed?: string;
  /** The failures of a red part, for those who see only a log's end. */
  shown?: string;
};

export const root = join(import.meta.dirname, "..", "..");
/** The last result of each part, with its whole output. */
export const directory = join(root, ".cache", "proofs");
const file = join(directory, "results.json");

type Kept = { revision: string; results: Result[] };

/** The commit, with all changes since: a result counts for the sources that it was run on. */
export function revision(): string {
  const git = (...args: string[]) =>
    spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  const head = git("rev-parse", "HEAD");
  // Without a git history nothing tells whether the tree is the same.
  if (head.status !== 0) return `unknown-${Date.now()}`;
  const changed = git("diff", "HEAD").stdout + git("ls-files", "--others", "--exclude-standard").stdout;
  return `${head.stdout.trim()}-${createHash("sha256").update(changed).digest("hex").slice(0, 12)}`;
}

/** Results by command: a part with another size is another part. */
export function keptResults(ofRevision: string): Map<string, Result> {
  const kept = read();
  if (kept?.revision !== ofRevision) return new Map();
  return new Map(kept.results.map((result) => [result.command, result]));
}

export function keepResult(ofRevision: string, result: Result): void {
  const results = keptResults(ofRevision).set(result.command, result);
  const kept: Kept = { revision: ofRevision, results: [...results.values()] };
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
}

function read(): Kept | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Kept) : undefined;
}
