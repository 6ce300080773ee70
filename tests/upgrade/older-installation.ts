import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** A checkout of an older revision, as an installation has it; `dispose` removes it. */
export type OlderInstallation = { directory: string; dispose(): void };

/** Everything in it is the older revision's own: sources, docker-compose.yml, bus users, and the test's receiver beside them. */
export function layOutOlderInstallation(revision: string): OlderInstallation {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-older-"));
  const archive = execFileSync("git", ["archive", revision], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync("tar", ["-x", "-C", directory], { input: archive });
  // These certificates belong to this machine, not to a revision.
  for (const certificate of globSync("deploy/build-certificates/*.crt", { cwd: root })) {
    copyFileSync(join(root, certificate), join(directory, certificate));
  }
  // Prepares like `npm run compose:prepare` of this revision, which may not have run here yet.
  const ofTheProxy = process.env["NODE_EXTRA_CA_CERTS"];
  if (ofTheProxy && existsSync(ofTheProxy)) {
    copyFileSync(ofTheProxy, join(directory, "deploy", "build-certificates", "node-extra-ca-certs.crt"));
  }
  return { directory, dispose: () => rmSync(directory, { recursive: true, force: true }) };
}
