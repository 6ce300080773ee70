// deploy/single/manage in bad order, or cut off in the middle. `docker` and other programs are played by scripts.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { deployDir } from "./build-overlay.ts";

let root: string;
let single: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-manage-"));
  single = join(root, "deploy", "single");
  cpSync(join(deployDir, "single"), single, { recursive: true });
  cpSync(join(deployDir, "compose", "images.env"), join(root, "deploy", "compose", "images.env"));
  const example = readFileSync(join(single, "settings.example"), "utf8");
  writeFileSync(
    join(single, ".env"),
    example.replace(/^BACKUP_DIR=.*$/m, `BACKUP_DIR=${join(root, "backup")}`),
  );
  mkdirSync(join(root, "bin"));
  for (const directory of ["base", "wal"]) mkdirSync(join(root, "backup", directory), { recursive: true });
  // Notes each call, and runs what a container would run on the directories of the test.
  program(
    "docker",
    `echo "$*" >>"${root}/calls"
     case "$*" in
       *"$FAIL_ON"*) [ -z "$FAIL_ON" ] || exit 1 ;;
     esac
     case "$*" in
       *" run "*" postgres -eu -s "*)
         for time in "$@"; do :; done
         sed 's#/backup#${root}/backup#g; s/-o postgres -g postgres//; s/^chown .*//' >"${root}/inside"
         PGDATA="${root}/data" exec sh -eu "${root}/inside" "$time" ;;
       *is_in_recovery*) echo f ;;
     esac`,
  );
});
afterEach(() => rmSync(root, { recursive: true }));

/** Puts a script before the program of that name. */
function program(name: string, script: string): void {
  writeFileSync(join(root, "bin", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, "bin", name), 0o755);
}

function manage(args: string[], env: NodeJS.Dict<string> = {}) {
  const given = { PATH: `${join(root, "bin")}:${process.env["PATH"]}`, FAIL_ON: "", HOLDFAST_VERSION: "v0" };
  return spawnSync(join(single, "manage"), args, { env: { ...given, ...env }, encoding: "utf8" });
}

const calls = () => readFileSync(join(root, "calls"), "utf8");

test("prepare without random bytes ends, and leaves no secret that anybody could guess", () => {
  program("openssl", "exit 1");
  expect(manage(["prepare"]).status).not.toBe(0);
  rmSync(join(root, "bin", "openssl"));
  expect(manage(["prepare"]).status).toBe(0);
  const weak = readFileSync(join(single, "secrets", "all"), "utf8")
    .split("\n")
    .filter((line) => line.length > 0 && line.replace(/^\w+=/, "").length < 40);
  expect(weak).toEqual([]);
  expect(readFileSync(join(single, "secrets", "oidc-client-password"), "utf8")).toMatch(/^[0-9a-f]{48}\n$/);
});

test("prepare keeps secrets that were copied here from everybody but their owner", () => {
  mkdirSync(join(single, "secrets"), { mode: 0o755 });
  writeFileSync(join(single, "secrets", "all"), "POSTGRES_PASSWORD=pcopied\n", { mode: 0o644 });
  expect(manage(["prepare"]).status).toBe(0);
  expect(statSync(join(single, "secrets")).mode & 0o777).toBe(0o700);
  expect(statSync(join(single, "secrets", "all")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(single, "secrets", "postgres"), "utf8")).toBe("pcopied");
});
