// Tools that no npm package ships: on the PATH, else in the cache, else unpacked once from a Debian package.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { programFromApt } from "@holdfast/local-infrastructure/program-from-apt";

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
  await fetchInto(cached, "kustomize");
  return [cached, "build"];
}

/** promtool, which checks and tests Prometheus' rules. */
export async function findPromtool(): Promise<Tool> {
  const cached = join(cacheDir(), "promtool");
  for (const candidate of [cached, "promtool"]) if (await works(candidate, "--version")) return [candidate];
  await fetchInto(cached, "promtool");
  return [cached];
}

async function fetchInto(target: string, name: string): Promise<void> {
  mkdirSync(cacheDir(), { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(cacheDir(), "fetching-"));
  try {
    const program = await programFromApt(work, { package: name, paths: [`usr/bin/${name}`] });
    renameSync(program, target);
  } catch (cause) {
    throw new Error(`${name} is needed: put it on the PATH, or copy it to ${target}`, { cause });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
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
    ({ stdout }) => stdout,
    () => "",
  );
}

const run = promisify(execFile);
