// No npm package ships nats-server, so it is looked for where it may be, and fetched once per machine where it is not.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { programFromApt } from "./program-from-apt.ts";
import { programFromGithub } from "./program-from-github.ts";

/**
 * The path of a nats-server of version 2.10 or newer: $NATS_SERVER, else the cache, else the PATH, else downloaded into
 * the cache from the project's releases or, if those cannot be reached, from the machine's own apt sources. A result
 * is kept for the process.
 */
export async function findNatsServer(options: { log?: (line: string) => void } = {}): Promise<string> {
  const { NATS_SERVER, XDG_CACHE_HOME, PATH } = process.env;
  const whereFrom = JSON.stringify([NATS_SERVER, XDG_CACHE_HOME, homedir(), PATH]);
  const known = found.get(whereFrom);
  if (known !== undefined) return known;
  const program = await lookForNatsServer(options);
  found.set(whereFrom, program);
  return program;
}

const found = new Map<string, string>();

async function lookForNatsServer(options: { log?: (line: string) => void }): Promise<string> {
  const named = process.env.NATS_SERVER;
  if (named) return usable(named);
  const cached = join(cacheDir(), "nats-server");
  for (const candidate of [cached, "nats-server"]) {
    if (isRecent(await versionOf(candidate))) return candidate;
  }
  options.log?.("fetching nats-server (once per machine)");
  return fetchInto(cached);
}

async function usable(path: string): Promise<string> {
  const version = await versionOf(path);
  if (isRecent(version)) return path;
  throw new Error(`NATS_SERVER is ${path}, which is ${version ?? "no nats-server"}: 2.10 or newer is needed`);
}

function cacheDir(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast");
}

/** The version that a program prints; undefined if it does not run. */
async function versionOf(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ["--version"], { timeout: 60_000 });
    return /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** 2.9 hung once in 17 runs, and its JetStream has no setting for how often to sync. */
function isRecent(version: string | undefined): boolean {
  const [major = 0, minor = 0] = version?.split(".").map(Number) ?? [];
  return major > 2 || (major === 2 && minor >= 10);
}

/** Each process works in a directory of its own and renames the result, so that several first starts do no harm. */
async function fetchInto(target: string): Promise<string> {
  const work = makeWorkDirectory();
  const failures: string[] = [];
  try {
    for (const [source, fetchNatsServer] of sources) {
      try {
        const binary = await fetchNatsServer(work);
        const version = await versionOf(binary);
        if (!isRecent(version)) throw new Error(`it has ${version ?? "none that runs"}`);
        renameSync(binary, target);
        return target;
      } catch (error) {
        failures.push(`  ${source}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  throw new Error(
    `nats-server 2.10 or newer is needed and could not be fetched:\n${failures.join("\n")}\n` +
      `Get it from github.com/nats-io/nats-server/releases or from your package manager, then put it on the PATH, ` +
      `set NATS_SERVER to its path, or copy it to ${target}`,
  );
}

/** A user without a home of their own may write to none of it. */
function makeWorkDirectory(): string {
  try {
    mkdirSync(cacheDir(), { recursive: true, mode: 0o700 });
    return mkdtempSync(join(cacheDir(), "fetching-"));
  } catch (cause) {
    throw new Error(
      `nats-server cannot be kept in ${cacheDir()}: set XDG_CACHE_HOME to a directory that can be written, ` +
        `or NATS_SERVER to the path of a nats-server of version 2.10 or newer`,
      { cause },
    );
  }
}

const version = "2.14.5";
const release = {
  url: (platform: string) =>
    `https://github.com/nats-io/nats-server/releases/download/v${version}/nats-server-v${version}-${platform}.tar.gz`,
  path: (platform: string) => join(`nats-server-v${version}-${platform}`, "nats-server"),
  sha256ByPlatform: {
    "linux-amd64": "5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355",
    "linux-arm64": "673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c",
    "darwin-amd64": "f95c98d6b6ed2b63c5681b46b092c9585c99767d547cf495730c329234625e96",
    "darwin-arm64": "ddd907854d9a2de834af133fa396915fe6442fe6d8909ae31390d1ea7a0fea50",
  },
};

const sources = [
  ["GitHub release", (work: string) => programFromGithub(work, release)],
  [
    "apt",
    (work: string) =>
      programFromApt(work, {
        package: "nats-server",
        paths: ["usr/sbin/nats-server", "usr/bin/nats-server"],
      }),
  ],
] as const;

const run = promisify(execFile);
