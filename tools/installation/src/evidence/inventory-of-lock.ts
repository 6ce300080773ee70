import { VERSION } from "@holdfast/telemetry";

export type Lock = {
  packages: Record<string, { version?: string; license?: string; dev?: boolean; link?: boolean }>;
};

/** A bill of materials (CycloneDX) of the packages that a lockfile has for production. */
export function inventoryOf({ packages }: Lock) {
  const components = Object.entries(packages).flatMap(([path, { version, license, dev, link }]) => {
    const name = path.split("node_modules/").at(-1)!;
    if (!path.includes("node_modules/") || version === undefined || dev || link) return [];
    return [
      {
        type: "library",
        name,
        version,
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        ...(license !== undefined && { licenses: [{ expression: license }] }),
      },
    ];
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "holdfast", version: VERSION } },
    components,
  };
}
