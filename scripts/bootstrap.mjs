// Runs on whatever Node the machine has (20 or newer), before `npm start` and `npm test`: installs the locked
// dependencies when they are missing or differ from package-lock.json. Everything after it runs on Node 26,
// which the project brings along (see link-node.mjs).
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".holdfast-lock");
const locked = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .update(`${process.platform}-${process.arch}`)
  .digest("hex");

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== locked) {
  process.stderr.write("holdfast: installing dependencies (npm ci)\n");
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ["npm", []];
  const install = spawnSync(command, [...first, "ci", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (install.status !== 0) {
    process.stderr.write("holdfast: npm ci failed, see above\n");
    process.exit(1);
  }
  writeFileSync(stamp, locked);
}
