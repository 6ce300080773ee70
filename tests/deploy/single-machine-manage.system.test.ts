// deploy/single/manage in bad order, or cut off in the middle. `docker` and other programs are played by scripts.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
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
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { freePort } from "@holdfast/sandbox/infrastructure";
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
       *pg_stat_archiver*) echo "last archived change: $ARCHIVED" ;;
       "volume ls --quiet") echo "$VOLUME" ;;
       "image inspect "*) echo "$BUILT" ;;
       "version "*) echo amd64 ;;
       *" exec -T edge node "*)
         while [ "$1" != node ]; do shift; done
         shift
         exec "${process.execPath}" "$@" ;;
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
  const given = {
    PATH: `${join(root, "bin")}:${process.env["PATH"]}`,
    FAIL_ON: "",
    VOLUME: "",
    ARCHIVED: "a minute ago",
    BUILT: "amd64",
    HOLDFAST_VERSION: "v0",
  };
  return spawnSync(join(single, "manage"), args, { env: { ...given, ...env }, encoding: "utf8" });
}

function prepared(): void {
  expect(manage(["prepare"]).status).toBe(0);
  rmSync(join(root, "calls"));
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

test("prepare with lost secrets beside a live database, or its back-ups, is refused by name and writes nothing", () => {
  const alive = { VOLUME: "holdfast_postgres-data" };
  const lost = "manage: secrets/all is lost, which opens";
  const page = "copy it back (docs/single-machine.md, step 5)\n";
  expect(manage(["prepare"], alive).stderr).toBe(`${lost} the database of this machine: ${page}`);
  prepared();
  rmSync(join(single, "secrets"), { recursive: true });
  expect(manage(["prepare"]).stderr).toBe(`${lost} the back-ups in ${join(root, "backup")}: ${page}`);
  expect(existsSync(join(single, "secrets"))).toBe(false);
});

test("a directory for back-ups whose disk is not mounted is refused by name", () => {
  prepared();
  rmSync(join(root, "backup", "holdfast"));
  expect(manage(["prepare"], { VOLUME: "holdfast_postgres-data" }).status).toBe(0);
  for (const action of ["backup", "restore"])
    expect(manage([action]).stderr).toBe(
      `manage: ${join(root, "backup")} has no file named holdfast: its disk is not mounted\n`,
    );
});

test.each([
  ["in quotes", '"%"'],
  ["in single quotes, with a comment", "'%' # another disk"],
  ["with a comment", "%  # another disk"],
  ["of another system's lines", "%\r"],
])("a setting %s is read as compose reads it", (_how, form) => {
  const directory = join(root, "other disk");
  appendFileSync(join(single, ".env"), `BACKUP_DIR=${form.replace("%", directory)}\n`);
  expect(manage(["prepare"]).status).toBe(0);
  expect(existsSync(join(directory, "holdfast"))).toBe(true);
});

test("the image is built on the base and with the registry that .env names", () => {
  const env = join(single, ".env");
  const lines = "NODE_IMAGE=mirror.example/node:26\nNPM_CONFIG_REGISTRY=https://npm.example/\n";
  writeFileSync(env, readFileSync(env, "utf8") + lines);
  expect(manage(["up"], { FAIL_ON: "image inspect" }).status).toBe(0);
  expect(calls()).toContain("--build-arg NODE_IMAGE=mirror.example/node:26 ");
  expect(calls()).toContain("--build-arg NPM_CONFIG_REGISTRY=https://npm.example/ ");
});

test("an image of another architecture is refused by name, with the way out", () => {
  prepared();
  const { status, stderr } = manage(["up"], { BUILT: "arm64" });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      "manage: holdfast/holdfast:v0 is for arm64, and this machine is amd64: docker image rm holdfast/holdfast:v0, then ./manage up builds it here\n",
  });
  expect(calls()).not.toContain(" up ");
});

test("a token while the identity provider is away is one line that names it and the page", async () => {
  const issuer = `http://127.0.0.1:${await freePort()}/realms/holdfast`;
  appendFileSync(join(single, ".env"), `OIDC_ISSUER=${issuer}\n`);
  const { status, stdout, stderr } = manage(["token"]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringContaining(`manage: the identity provider ${issuer} does not answer: `),
  ]);
  expect(stderr).toContain(" (docs/single-machine.md, What goes wrong)\n");
});

test("a client's password of any characters reaches the console as the identity provider has it", () => {
  mkdirSync(join(single, "secrets"));
  const given = String.raw`a#b "c" $d\n~e`;
  writeFileSync(join(single, "secrets", "oidc-client-password"), `${given}\n`);
  expect(manage(["prepare"]).status).toBe(0);
  for (const name of ["console", "identity"])
    expect(parseEnv(readFileSync(join(single, "secrets", name), "utf8"))["OIDC_CLIENT_PASSWORD"]).toBe(given);
  writeFileSync(join(single, "secrets", "oidc-client-password"), "it's");
  expect(manage(["prepare"]).stderr).toContain("secrets/oidc-client-password: no ' can be in it");
});

test.each([
  ["core", "secrets", "secrets/all"],
  ["caddy", "files", "Caddyfile"],
  ["caddy", "files", "tls/cert.pem"],
  ["nats", "files", "../nats/users.conf"],
  ["prometheus", "files", "monitoring/prometheus.yaml"],
  ["alertmanager", "files", "alertmanager.yaml"],
])("compose replaces %s (%s) after %s was changed, and not otherwise", (service, label, changed) => {
  const labels = readCompose().services[service]!.labels ?? {};
  const variable = /^\$\{(\w+):-\}$/.exec(labels[`holdfast.dev/${label}`] ?? "")?.[1] ?? "none";
  program("docker", `case "$*" in *" up") echo "$${variable}" >>"${root}/calls" ;; esac`);
  expect(manage(["prepare"]).status).toBe(0);
  const up = () => expect(manage(["compose", "up"]).status).toBe(0);
  up();
  up();
  mkdirSync(join(single, dirname(changed)), { recursive: true });
  appendFileSync(join(single, changed), "CHANGED=1\n");
  up();
  const [first, second, third] = calls().trim().split("\n");
  expect(first).toMatch(/\d/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

/** A base back-up with one file, on an installation that is prepared. */
function backUp(name: string): void {
  prepared();
  const from = join(root, "from");
  mkdirSync(from, { recursive: true });
  writeFileSync(join(from, "PG_VERSION"), `${name}\n`);
  mkdirSync(join(root, "backup", "base", name));
  spawnSync("tar", ["-czf", join(root, "backup", "base", name, "base.tar.gz"), "-C", from, "."]);
}

function hasDatabase(text: string): void {
  mkdirSync(join(root, "data"));
  writeFileSync(join(root, "data", "PG_VERSION"), text);
}
const database = () => readFileSync(join(root, "data", "PG_VERSION"), "utf8");

/** Plays the containers of the evidence: `holdfast` notes its arguments, and the settings that it is given. */
function playEvidence(ends: number): void {
  program(
    "holdfast",
    `printf '%s\\n' "$@" >"${root}/asked"
     for each in "$@"; do
       case $each in *=*/tmp/*) cp "\${each#*=}" "${root}/settings-of-\${each%%=*}" ;; esac
     done
     exit ${ends}`,
  );
  const paths = `s#/tmp#${root}/tmp#g; s#/run/secrets#${single}/secrets#g; s#/backup#${root}/backup#g`;
  program(
    "docker",
    `echo "$*" >>"${root}/calls"
     case "$*" in *"$FAIL_ON"*) [ -z "$FAIL_ON" ] || exit 1 ;; esac
     for service in edge core; do case "$*" in *" $service "*) break ;; esac; done
     while [ $# -gt 0 ] && [ "$1" != -c ] && [ "$1" != -euc ]; do shift; done
     [ $# -gt 0 ] || exit 0
     options=$1 script=$(printf %s "$2" | sed '${paths}')
     shift 2
     export PUBLIC_URL=https://pay.example.com MERCHANT_API_URL=https://api.example.com CONSOLE_URL=https://console.example.com
     PROCESS=$service exec sh "$options" "$script" "$@"`,
  );
  mkdirSync(join(root, "tmp"));
}

const asked = () => readFileSync(join(root, "asked"), "utf8").trim().split("\n");

test("evidence is collected of every service of both processes, by the settings that each runs with", () => {
  prepared();
  playEvidence(0);
  const { services } = readCompose();
  const running = ["edge", "core"].flatMap((process) =>
    services[process]!.secrets!.map((service) => ({ process, service })),
  );
  expect(manage(["evidence"], { TMPDIR: join(root, "tmp") })).toMatchObject({ status: 0, stderr: "" });
  expect(asked()[0]).toBe("evidence");
  for (const { process, service } of running) {
    const given = readFileSync(join(root, `settings-of-${service}`), "utf8");
    expect(given).toContain(readFileSync(join(single, "secrets", service), "utf8"));
    expect(parseEnv(given)["PROCESS"], service).toBe(process);
  }
  expect(asked().filter((each) => each === "--environment")).toHaveLength(running.length);
  expect(asked()).toContain("public=https://pay.example.com");
});

test("evidence looks into logs, stream and the newest whole back-up, and takes further options", () => {
  backUp("2026-01-30T120000Z");
  for (const name of ["2026-01-31T120000Z", "2026-02-01T120000Z.part"])
    mkdirSync(join(root, "backup", "base", name));
  playEvidence(0);
  expect(manage(["evidence", "--page", "https://pay.example.com/checkout/1"]).status).toBe(0);
  const options = asked();
  const searched = options.filter((_each, index) => options[index - 1] === "--scan-path");
  expect(searched).toEqual(["/logs", "/stream", join(root, "backup", "base", "2026-01-31T120000Z")]);
  expect(options.slice(-2)).toEqual(["--page", "https://pay.example.com/checkout/1"]);
});

test("evidence with a finding ends with 1, and leaves no secret and no log behind", () => {
  prepared();
  playEvidence(1);
  const before = readdirSync(join(single, "secrets"));
  expect(manage(["evidence"], { TMPDIR: join(root, "tmp") }).status).toBe(1);
  expect(readdirSync(join(single, "secrets"))).toEqual(before);
  expect(readdirSync(join(single, "evidence"))).toEqual([]);
  expect(readdirSync(join(root, "tmp"))).toEqual(["settings"]);
  const passwords = Object.values(parseEnv(readFileSync(join(single, "secrets", "all"), "utf8")));
  expect(passwords.filter((each) => calls().includes(each!))).toEqual([]);
});

test("evidence of a service that does not run is refused", () => {
  prepared();
  playEvidence(0);
  expect(manage(["evidence"], { FAIL_ON: " exec -T core " }).status).not.toBe(0);
  expect(existsSync(join(root, "asked"))).toBe(false);
});

/** The name of a base back-up that is as old. */
const madeBefore = (hours: number) =>
  new Date(Date.now() - hours * 3_600_000).toISOString().replace(/:|\.\d+/g, "");

test.each([
  ["fresh", 29, "a minute ago", []],
  ["old", 31, "a minute ago", ["there is no base back-up of the last 30 hours", "HoldfastBackupFails"]],
  ["not archived", 29, "none; FAILS: 0001", ["changes are not archived", "HoldfastWalNotArchived"]],
])("status of back-ups that are %s tells cron only what is wrong", (_state, hours, archived, fault) => {
  backUp(madeBefore(hours));
  mkdirSync(join(root, "backup", "base", `${madeBefore(0)}.part`));
  const { status, stdout, stderr } = manage(["status"], { ARCHIVED: archived });
  const [what = "", page = ""] = fault;
  expect({ status, stderr }).toEqual(
    what === ""
      ? { status: 0, stderr: "" }
      : { status: 1, stderr: `manage: ${what} (docs/runbook/${page}.md)\n` },
  );
  if (page !== "") expect(existsSync(join(deployDir, "..", "docs", "runbook", `${page}.md`))).toBe(true);
  expect(stdout).toContain(
    `last archived change: ${archived}\nbase back-ups: ${madeBefore(hours).slice(0, 13)}`,
  );
});

test("status without any back-up, or without a database, is a fault", () => {
  prepared();
  expect(manage(["status"]).stderr).toContain("no base back-up of the last 30 hours");
  mkdirSync(join(root, "backup", "base", madeBefore(1)));
  expect(manage(["status"]).status).toBe(0);
  expect(manage(["status"], { FAIL_ON: "pg_stat_archiver" }).status).not.toBe(0);
});

test("restore swaps a whole database in, and keeps the one before", () => {
  hasDatabase("before\n");
  backUp("2026-01-31T120000Z");
  const { status, stderr } = manage(["restore"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("the database is back") });
  expect(database()).toBe("2026-01-31T120000Z\n");
  expect(existsSync(join(root, "data", "recovery.signal"))).toBe(true);
  expect(readdirSync(root).filter((name) => name.startsWith("data."))).toEqual([
    expect.stringMatching(/^data\.before-\d{14}$/),
  ]);
});

test("restore that is cut off leaves the database that was there", () => {
  hasDatabase("before\n");
  backUp("2026-01-31T120000Z");
  // Ends after it has unpacked half of the files.
  const tar = spawnSync("sh", ["-c", "command -v tar"], { encoding: "utf8" }).stdout.trim();
  program("tar", `"${tar}" "$@"; case $1 in -x*) exit 1 ;; esac`);
  expect(manage(["restore"]).status).not.toBe(0);
  expect(database()).toBe("before\n");
  expect(calls()).not.toContain("volume rm");
  rmSync(join(root, "bin", "tar"));
  expect(manage(["restore"]).status).toBe(0);
  expect(database()).toBe("2026-01-31T120000Z\n");
});

test("a back-up that is cut off is named with the page, and the database stays", () => {
  hasDatabase("before\n");
  backUp("2026-01-31T120000Z");
  const archive = join(root, "backup", "base", "2026-01-31T120000Z", "base.tar.gz");
  writeFileSync(archive, readFileSync(archive).subarray(0, 40));
  const { status, stderr } = manage(["restore"]);
  expect(status).toBe(1);
  expect(stderr).toContain("manage: the back-up 2026-01-31T120000Z is cut off; ");
  expect(stderr).toContain(" (docs/single-machine.md, Restore)\n");
  expect(database()).toBe("before\n");
  expect(calls()).not.toContain("volume rm");
});

test("restore forgets the time that an earlier one stopped at", () => {
  backUp("2026-01-31T120000Z");
  writeFileSync(
    join(root, "from", "postgresql.auto.conf"),
    "recovery_target_time = '2025-01-01T00:00:00Z'\n",
  );
  rmSync(join(root, "backup", "base", "2026-01-31T120000Z"), { recursive: true });
  backUp("2026-01-31T120000Z");
  expect(manage(["restore"]).status).toBe(0);
  const lines = readFileSync(join(root, "data", "postgresql.auto.conf"), "utf8")
    .trim()
    .split("\n");
  // The last one counts.
  expect(lines.findLast((line) => line.startsWith("recovery_target_time"))).toBe("recovery_target_time = ''");
});

test.each(["yesterday", "2026-01-31T15:00:00+03:00", "2026-01-31 12:00:00", "2026-01-31T12:00:00Z'"])(
  "restore to %j stops nothing",
  (time) => {
    hasDatabase("before\n");
    backUp("2026-01-31T120000Z");
    const { status, stderr } = manage(["restore", time]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "manage: say the time as 2026-01-31T12:00:00Z\n",
    });
    expect(existsSync(join(root, "calls"))).toBe(false);
  },
);

test("restore on a new machine builds the image before it stops anything", () => {
  backUp("2026-01-31T120000Z");
  expect(manage(["restore"], { FAIL_ON: "image inspect" }).status).toBe(0);
  const lines = calls().split("\n");
  const at = (text: string) => lines.findIndex((line) => line.includes(text));
  expect(at("build --target holdfast")).toBeGreaterThanOrEqual(0);
  expect(at("build --target holdfast")).toBeLessThan(at(" stop "));
});

test("an update that was cut off and repeated still goes back to the version before it", () => {
  const git = (...args: string[]) =>
    spawnSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      encoding: "utf8",
    }).stdout.trim();
  prepared();
  git("init", "--quiet");
  git("add", "deploy");
  git("commit", "--quiet", "--message=one");
  const before = git("rev-parse", "HEAD");
  writeFileSync(join(single, "next"), "");
  git("add", "deploy/single/next");
  git("commit", "--quiet", "--message=two");
  git("tag", "v2");
  git("checkout", "--quiet", "--detach", before);
  expect(manage(["update", "v2"], { FAIL_ON: " up " }).status).not.toBe(0);
  expect(manage(["update", "v2"]).status).toBe(0);
  expect(readFileSync(join(single, ".previous"), "utf8").trim()).toBe(before);
  // The image's user reads what was checked out.
  expect(statSync(join(single, "next")).mode & 0o777).toBe(0o644);
  expect(manage(["rollback"]).status).toBe(0);
  expect(git("rev-parse", "HEAD")).toBe(before);
});

type Compose = {
  services: Record<
    string,
    {
      command?: string[];
      secrets?: string[];
      pull_policy?: string;
      stop_grace_period?: string;
      labels?: Record<string, string>;
    }
  >;
};
const readCompose = (): Compose => {
  const [own, monitoring] = ["compose.yml", "monitoring.yml"].map(
    (file) => parse(readFileSync(join(single, file), "utf8"), { merge: true, maxAliasCount: 300 }) as Compose,
  );
  return { services: { ...own!.services, ...monitoring!.services } };
};

test("an archived change is never replaced by another one of its name", () => {
  const argument = readCompose().services["postgres"]!.command!.find((each) =>
    each.startsWith("archive_command="),
  )!;
  const archive = (name: string, content: string) => {
    writeFileSync(join(root, name), content);
    const command = argument
      .replace("archive_command=", "")
      .replaceAll("%f", name)
      .replaceAll("%p", join(root, name))
      .replaceAll("/backup/", `${root}/backup/`);
    const ended = spawnSync("sh", ["-c", command]);
    const kept = spawnSync("gunzip", ["-c", join(root, "backup", "wal", `${name}.gz`)], { encoding: "utf8" });
    return [ended.status === 0, kept.stdout];
  };
  expect(archive("000000010000000000000001", "first")).toEqual([true, "first"]);
  // PostgreSQL ended before it had noted the success.
  expect(archive("000000010000000000000001", "first")).toEqual([true, "first"]);
  // An empty database was started beside the back-ups of the lost one.
  expect(archive("000000010000000000000001", "other")).toEqual([false, "first"]);
  // The last segment of a time line, which restores leave and none reads.
  expect(archive("000000010000000000000002.partial", "first")).toEqual([true, "first"]);
  expect(archive("000000010000000000000002.partial", "other")).toEqual([true, "other"]);
});

test("the product's image is built here and never pulled", () => {
  const { services } = readCompose();
  for (const name of ["edge", "core", "schema"]) expect(services[name]!.pull_policy).toBe("never");
});

test("Docker waits longer than a drain takes", () => {
  const { services } = readCompose();
  for (const name of ["edge", "core"]) expect(services[name]!.stop_grace_period).toBe("45s");
});
