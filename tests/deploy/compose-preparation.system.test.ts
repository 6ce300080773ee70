// `npm run compose:prepare`, run as a user runs it, into a directory of the test's own.
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildOverlay } from "./build-overlay.ts";
import { secretKeysOfPods } from "./policies/settings.ts";

const program = join(import.meta.dirname, "..", "..", "scripts", "prepare-compose.mjs");

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-prepare-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

function prepare(dir: string): void {
  execFileSync(process.execPath, [program, "--dir", dir, "--quiet"], { env: { PATH: process.env["PATH"] } });
}

/** Every file of the directory with its content. */
function contents(dir: string): Map<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => statSync(join(dir, name)).isFile())
      .map((name) => [name, readFileSync(join(dir, name), "utf8")]),
  );
}

const mode = (file: string) => statSync(file).mode & 0o777;

test.each([
  ["bus", "nats"],
  ["postgres", "postgres"],
])("%s gets a certificate for the name %s, and only this machine's user comes to the keys", (name, host) => {
  const dir = directory();
  prepare(dir);
  const certificates = join(dir, ".compose", name);
  const [certificate, authority] = [`${host}.pem`, "ca.pem"].map(
    (file) => new X509Certificate(readFileSync(join(certificates, file))),
  );
  expect(certificate!.subjectAltName).toBe(`DNS:${host}`);
  expect(certificate!.verify(authority!.publicKey)).toBe(true);
  expect(authority!.ca).toBe(true);
  expect(mode(certificates)).toBe(0o700);
  expect(mode(join(certificates, "ca-key.pem"))).toBe(0o600);
  // Mounted files are read by other users.
  for (const file of ["ca.pem", `${host}.pem`, `${host}-key.pem`])
    expect(mode(join(certificates, file)), file).toBe(0o644);
});

test("it draws every key that a pod of the development overlay cannot start without", async () => {
  const dir = directory();
  prepare(dir);
  const drawn = new Set(
    readFileSync(join(dir, ".env"), "utf8")
      .split("\n")
      .map((line) => `holdfast-secrets.${line.split("=")[0]}`),
  );
  const asked = secretKeysOfPods(await buildOverlay("development"));
  // The page makes the administrator's Secret itself.
  expect(asked.filter((key) => !drawn.has(key) && !key.startsWith("postgres-admin."))).toEqual([]);
});

test("run again it keeps every secret, key and certificate that is there", () => {
  const dir = directory();
  prepare(dir);
  const before = contents(dir);
  prepare(dir);
  expect(contents(dir)).toEqual(before);
});

test("certificates of bus and database that are missing are made, and everything else is kept", () => {
  const dir = directory();
  prepare(dir);
  for (const name of ["bus", "postgres"]) rmSync(join(dir, ".compose", name), { recursive: true });
  const before = contents(dir);
  prepare(dir);
  const after = contents(dir);
  expect([...after.keys()].filter((name) => !before.has(name)).toSorted()).toEqual([
    ".compose/bus/ca-key.pem",
    ".compose/bus/ca.pem",
    ".compose/bus/nats-key.pem",
    ".compose/bus/nats.pem",
    ".compose/postgres/ca-key.pem",
    ".compose/postgres/ca.pem",
    ".compose/postgres/postgres-key.pem",
    ".compose/postgres/postgres.pem",
  ]);
  for (const [name, content] of before) expect(after.get(name), name).toBe(content);
});

test("a directory that others may enter is closed to them before the key is opened", () => {
  const dir = directory();
  const bus = join(dir, ".compose", "bus");
  mkdirSync(bus, { recursive: true, mode: 0o755 });
  prepare(dir);
  expect(mode(bus)).toBe(0o700);
});
