import { VERSION } from "@holdfast/telemetry";

type Package = {
  version?: string;
  license?: string;
  integrity?: string;
  /** The folder of one of our packages, to which it is a link. */
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string | string[];
  cpu?: string | string[];
};
export type Lock = { packages: Record<string, Package> };

/** External programs that an installation runs, by name. A program without a known version is left out. */
export type Servers = Record<string, string | undefined>;

/**
 * A bill of materials (CycloneDX) of the product's dependencies on this platform, by the lockfile, and of the
 * servers beside it. Packages for development and for the sandbox are left out.
 */
export function inventoryOf({ packages }: Lock, { servers, at }: { servers: Servers; at: string }) {
  const libraries = new Map(
    [...neededBy(packages, PRODUCT)].flatMap((path) => {
      const { version, license, integrity } = packages[path]!;
      const name = path.split("node_modules/").at(-1)!;
      if (!path.includes("node_modules/") || version === undefined) return [];
      const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
      const component = {
        type: "library",
        name,
        version,
        purl,
        ...(license !== undefined && { licenses: [{ expression: license }] }),
        ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
      };
      return [[purl, component] as const];
    }),
  );
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { timestamp: at, component: { type: "application", name: "holdfast", version: VERSION } },
    components: [
      ...Object.entries(servers).flatMap(([name, version]) =>
        version === undefined ? [] : [{ type: "application", name, version }],
      ),
      ...[...libraries.values()].toSorted((one, other) => (one.purl < other.purl ? -1 : 1)),
    ],
  };
}

/** The program that is every service. */
const PRODUCT = "tools/holdfast";

/** The paths of a package's dependencies, and of theirs. */
function neededBy(packages: Lock["packages"], root: string): Set<string> {
  const needed = new Set<string>();
  const left = [root];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placeOf(packages, path, name);
      if (found === undefined || needed.has(found) || !isForHere(packages[found]!)) continue;
      needed.add(found);
      left.push(found);
    }
  }
  return needed;
}

/** The folder from which a package takes another, as Node looks for it. */
function placeOf(packages: Lock["packages"], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const found = packages[path];
    if (found) return found.link ? found.resolved : path;
    if (folder === "") return undefined;
  }
}

function isForHere({ os, cpu }: Package): boolean {
  const has = (only: string | string[] | undefined, here: string) =>
    only === undefined || [only].flat().includes(here);
  return has(os, process.platform) && has(cpu, process.arch);
}

function hashOf(integrity: string) {
  const [algorithm = "", digest = ""] = integrity.split("-");
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") };
}
