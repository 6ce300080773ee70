import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, globSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** A directory of an older revision, as an installation has it; `dispose` removes it. */
export type OlderInstallation = {
  directory: string;
  /** The users of the bus become those of this revision; nats-server reads them when it is restarted. */
  takeNewBusUsers(): void;
  dispose(): void;
};

/**
 * Sources, migrations and bus users of the older revision under the docker-compose.yml of this one, with its mounts and
 * builds: the surroundings of the images are upgraded before them.
 */
export function layOutOlderInstallation(revision: string): OlderInstallation {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-older-"));
  const archive = execFileSync("git", ["archive", revision], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync("tar", ["-x", "-C", directory], { input: archive });
  for (const path of ["docker-compose.yml", "deploy/compose", "tests/containers"]) {
    cpSync(join(root, path), join(directory, path), { recursive: true });
  }
  for (const certificate of globSync("deploy/build-certificates/*.crt", { cwd: root })) {
    copyFileSync(join(root, certificate), join(directory, certificate));
  }
  // As `npm run compose:prepare` does it for this revision, which may not have happened here yet.
  const ofTheProxy = process.env["NODE_EXTRA_CA_CERTS"];
  if (ofTheProxy && existsSync(ofTheProxy)) {
    copyFileSync(ofTheProxy, join(directory, "deploy", "build-certificates", "node-extra-ca-certs.crt"));
  }
  return {
    directory,
    takeNewBusUsers() {
      const users = join("deploy", "nats", "users.conf");
      // As git does it: another file takes the place of the one that is mounted.
      copyFileSync(join(root, users), join(directory, `${users}.new`));
      renameSync(join(directory, `${users}.new`), join(directory, users));
    },
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}
