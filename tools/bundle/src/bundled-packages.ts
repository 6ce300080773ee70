import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** An external package whose code is in a bundle. */
export type BundledPackage = {
  name: string;
  version: string;
  license: string;
  /** The integrity of its archive, as the lock file has it. */
  integrity: string | undefined;
  licenseTexts: string[];
};

export function bundledPackages(root: string, { inputs }: Metafile): BundledPackage[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string } | undefined>;
  };
  const folders = new Set(Object.keys(inputs).flatMap((path) => packageFolderOf(path) ?? []));
  return [...folders].toSorted().map((folder) => {
    const {
      name,
      version,
      license = "UNKNOWN",
    } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      name: string;
      version: string;
      license?: string;
    };
    const texts = readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(licen[cs]e|notice|copying)/i.test(entry.name))
      .map((entry) => entry.name);
    return {
      name,
      version,
      license,
      integrity: lock.packages[folder.slice(folder.indexOf("node_modules/"))]?.integrity,
      licenseTexts: texts.map((file) => readFileSync(join(root, folder, file), "utf8").trim()),
    };
  });
}

/** `node_modules/a/node_modules/@b/c` of a file in it; undefined for our own. */
function packageFolderOf(path: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

/** The licences ask for their text wherever the code goes. */
export function notices(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, licenseTexts }) =>
      [`${name} ${version} (${license})`, ...licenseTexts].join("\n\n"),
    )
    .join(`\n\n${"-".repeat(80)}\n\n`);
}

/** A CycloneDX document of exactly the packages in a bundle. */
export function inventory(root: string, packages: readonly BundledPackage[]): string {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as BundledPackage;
  const components = packages.map((one) => ({
    type: "library",
    "bom-ref": `${one.name}@${one.version}`,
    name: one.name,
    version: one.version,
    purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`,
    licenses: [{ expression: one.license }],
    ...(one.integrity !== undefined && { hashes: hashesOf(one.integrity) }),
  }));
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": `${name}@${version}`, name, version } },
    components,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function hashesOf(integrity: string): { alg: string; content: string }[] {
  const [algorithm = "", digest = ""] = integrity.split("-");
  return [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") }];
}
