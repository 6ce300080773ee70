import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join, relative } from "node:path";
import { SIMULATORS, type Simulator } from "./simulators.ts";

export type { Simulator };

/** Files for `node`. */
export type Bundle = {
  /** `holdfast`, every program of the product. */
  holdfast: string;
  /** The programs that simulate the product's surroundings. */
  simulators: Record<Simulator, string>;
};

const repository = join(import.meta.dirname, "..", "..", "..");

/**
 * Bundles the programs of a checkout, so that a start loads a few files instead of a thousand sources. A
 * bundle of the same inputs is reused. Simultaneous builds do not disturb each other: each builds in a folder
 * of its own, and the first finished one gets the bundle's name.
 */
export async function bundle(root = repository): Promise<Bundle> {
  const cache = join(root, "node_modules", ".cache", "holdfast");
  const name = hashInputs(root);
  const folder = join(cache, name);
  if (!existsSync(folder)) {
    const { buildBundle } = await import("./build-bundle.ts");
    const building = join(cache, `building-${process.pid}-${performance.now()}`);
    try {
      await buildBundle(root, building);
      renameSync(building, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(building, { recursive: true, force: true });
    }
  }
  const now = new Date();
  utimesSync(folder, now, now);
  removeUnused(cache);
  return bundleIn(folder);
}

/** The files of a bundle that `buildBundle` has made. */
export function bundleIn(folder: string): Bundle {
  const programs = SIMULATORS.map((name) => [name, join(folder, "simulators", `${name}.mjs`)] as const);
  return {
    holdfast: join(folder, "holdfast", "holdfast.mjs"),
    simulators: Object.fromEntries(programs) as Record<Simulator, string>,
  };
}

/** Everything that a bundle is made of, and everything that it reads at run time. */
function hashInputs(root: string): string {
  const files = ["services", "packages", "tools", "deploy/settlement-mappings", "docs/merchant"].flatMap(
    (folder) => filesIn(join(root, folder)),
  );
  files.push(join(root, "package-lock.json"), join(root, "docs", "openapi.merchant.json"));
  const digests = files
    .toSorted()
    .filter((file) => existsSync(file))
    .map((file) => `${relative(root, file)} ${hash("sha256", readFileSync(file))}`);
  return hash("sha256", [process.platform, process.arch, ...digests].join("\n")).slice(0, 16);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_BUNDLED.has(entry.name) ? [] : filesIn(path);
    return entry.name.endsWith(".test.ts") ? [] : [path];
  });
}

const NOT_BUNDLED = new Set(["node_modules", "test", "scripts"]);

/** Removes a bundle long after its users have started: some chunks are loaded later. */
function removeUnused(cache: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const usedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedAt > UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}

const UNUSED_MS = 7 * 86_400_000;
