// What was installed last, so that a script of npm's finds out within a millisecond whether it has to install anything.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
// `npm ci` begins by deleting it with everything else.
const stamp = join(root, "node_modules", ".holdfast-lock");

export function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === locked();
}

export function stampInstalled() {
  writeFileSync(stamp, locked());
}

function locked() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(`${process.platform}-${process.arch}`)
    .digest("hex");
}
