import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { bundledPackages, inventory, notices } from "./bundled-packages.ts";
import { SIMULATORS } from "./simulators.ts";

/** Builds the bundles of the product and of the simulators into a folder. @param root the repository */
export async function buildBundle(root: string, folder: string): Promise<void> {
  const simulators = SIMULATORS.map((name) => [name, `tools/${name}/src/main.ts`]);
  const builds = await Promise.allSettled([
    // Names cost 7 MB and a call for each function, those made for a request among them.
    buildPrograms(root, join(folder, "holdfast"), HOLDFAST, { keepNames: false }),
    // The identity provider keeps its grants by the names of classes, and two modules may use one.
    buildPrograms(root, join(folder, "simulators"), Object.fromEntries(simulators), { keepNames: true }),
  ]);
  // Thrown after both have ended: the caller then removes the folder, and nothing may write to it.
  for (const each of builds) if (each.status === "rejected") throw each.reason;
}

const HOLDFAST = { holdfast: "tools/holdfast/src/main.ts" };

async function buildPrograms(
  root: string,
  folder: string,
  programs: Record<string, string>,
  { keepNames }: { keepNames: boolean },
): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node26",
    keepNames,
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    define: { BUNDLED: "true" },
    // CommonJS packages that require Node's own modules.
    banner: { js: BANNER },
    external: EXTERNAL,
    metafile: true,
    // The error that is thrown says all that fails.
    logLevel: "silent",
  });
  copyAssets(root, folder, metafile);
  const packages = bundledPackages(root, metafile);
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices(packages));
  writeFileSync(join(folder, "sbom.cdx.json"), inventory(root, packages));
}

const BANNER =
  'import{createRequire as createBundleRequire}from"node:module";const require=createBundleRequire(import.meta.url);';

/** `pg` looks for its native client, which no installation has, and continues without it. */
const EXTERNAL = ["pg-native"];

/** Each `assetPath("…")` of a bundled source names a file or folder; the bundle has it under the same path. */
function copyAssets(root: string, folder: string, { inputs }: Metafile): void {
  const sources = Object.keys(inputs).filter(
    (path) => path.endsWith(".ts") && !path.includes("node_modules/"),
  );
  for (const source of sources) {
    for (const [, path] of readFileSync(join(root, source), "utf8").matchAll(/\bassetPath\("([^"]+)"\)/g)) {
      mkdirSync(dirname(join(folder, path!)), { recursive: true });
      cpSync(join(root, path!), join(folder, path!), { recursive: true });
    }
  }
}
