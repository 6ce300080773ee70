// Remembers the last installation, so that a script of npm's knows within a millisecond whether to install anything.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
// `npm ci` begins by deleting it with everything else.
const stamp = join(modules, ".holdfast-lock");

/** @returns `product` where the packages for development are missing, `all`, or undefined: nothing, or of another lock. */
export function installed() {
  if (!existsSync(stamp)) return undefined;
  const [lock, what] = readFileSync(stamp, "utf8").split(" ");
  return lock === locked() ? what : undefined;
}

export function stampInstalled() {
  // One of the packages for development stands for all of them: npm installs them together.
  const what = existsSync(join(modules, "vitest", "package.json")) ? "all" : "product";
  writeFileSync(stamp, `${locked()} ${what}`);
}

function locked() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(`${process.platform}-${process.arch}`)
    .digest("hex");
}
