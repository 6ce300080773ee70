// Tools that no npm package ships: in the cache or on the PATH, else fetched once per machine.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { programFromApt } from "@holdfast/sandbox/infrastructure/program-from-apt";
import { programFromGithub } from "@holdfast/sandbox/infrastructure/program-from-github";

/** A command without its last arguments: `["kubectl", "kustomize"]`. */
export type Tool = string[];

/** kustomize 5, by itself or within kubectl 1.27 or newer. */
export async function findKustomize(): Promise<Tool> {
  const cached = join(cacheDir(), "kustomize");
  if (await works(cached, "version")) return [cached, "build"];
  if (/^v?5\./m.test(await outputOf("kustomize", "version"))) return ["kustomize", "build"];
  if (/Kustomize Version: v5\./.test(await outputOf("kubectl", "version", "--client"))) {
    return ["kubectl", "kustomize"];
  }
  await fetchInto(cached, "kustomize", [
    (work) => programFromGithub(work, kustomizeRelease),
    fromApt("kustomize"),
  ]);
  return [cached, "build"];
}

const kustomizeRelease = {
  url: (platform: string) =>
    `https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize/v5.6.0/kustomize_v5.6.0_${platform.replace("-", "_")}.tar.gz`,
  path: () => "kustomize",
  sha256ByPlatform: {
    "linux-amd64": "54e4031ddc4e7fc59e408da29e7c646e8e57b8088c51b84b3df0864f47b5148f",
    "linux-arm64": "ad8ab62d4f6d59a8afda0eec4ba2e5cd2f86bf1afeea4b78d06daac945eb0660",
    "darwin-amd64": "3432be97f9fb4899148bf2485ccf9080e5e7702758eb16c92cd2f2f335e12a03",
    "darwin-arm64": "791d9497d2973d4af17c9c0c2b3991ce82e61d1a2bf79f4ef78dd9dce25a6d3d",
  },
};

/** promtool, which checks and tests Prometheus' rules. */
export async function findPromtool(): Promise<Tool> {
  const cached = join(cacheDir(), "promtool");
  for (const candidate of [cached, "promtool"]) if (await works(candidate, "--version")) return [candidate];
  await fetchInto(cached, "promtool", [fromApt("promtool")]);
  return [cached];
}

/** A Prometheus of the version that compose runs, which evaluates the rules beside a running product. */
export async function findPrometheus(): Promise<string> {
  const cached = join(cacheDir(), "prometheus");
  for (const candidate of [cached, "prometheus"]) if (await isPrometheus3(candidate)) return candidate;
  await fetchInto(cached, "prometheus", [fromApt("prometheus")]);
  if (!(await isPrometheus3(cached))) throw new Error("Debian's newer suites have no Prometheus 3");
  return cached;
}

/** Version 2 stores the bounds of histograms as others, so a rule that works there may be silent in 3. */
async function isPrometheus3(program: string): Promise<boolean> {
  return /^prometheus, version 3\./m.test(await outputOf(program, "--version"));
}

/** True if this machine has promtool, or is one that has to fetch it. */
export async function canHavePromtool(): Promise<boolean> {
  return existsSync("/etc/apt") || (await works("promtool", "--version"));
}

type Source = (work: string) => Promise<string>;

function fromApt(name: string): Source {
  return (work) => programFromApt(work, { package: name, paths: [`usr/bin/${name}`] });
}

async function fetchInto(target: string, name: string, sources: Source[]): Promise<void> {
  mkdirSync(cacheDir(), { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(cacheDir(), "fetching-"));
  const failures: string[] = [];
  try {
    for (const source of sources) {
      try {
        renameSync(await source(work), target);
        return;
      } catch (error) {
        failures.push(String(error));
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  throw new Error(
    `${name} is needed and could not be fetched (${failures.join("; ")}): put it on the PATH, or copy it to ${target}`,
  );
}

function cacheDir(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast");
}

async function works(program: string, ...args: string[]): Promise<boolean> {
  return await run(program, args).then(
    () => true,
    () => false,
  );
}

async function outputOf(program: string, ...args: string[]): Promise<string> {
  return await run(program, args).then(
    ({ stdout, stderr }) => `${stdout}\n${stderr}`,
    () => "",
  );
}

const run = promisify(execFile);
