import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

type Locked = {
  link?: boolean;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  name?: string;
};
type Manifest = Partial<
  Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>
>;

const { packages } = JSON.parse(sourceFiles("package-lock.json").get("package-lock.json")!) as {
  packages: Record<string, Locked>;
};
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && !link,
);

test("every locked package has its hash, and none a host of its own", () => {
  expect(installed.length).toBeGreaterThan(100);
  for (const [path, { integrity, resolved }] of installed) {
    expect(integrity, path).toMatch(/^sha512-/);
    expect(resolved, path).toBeUndefined();
  }
});

test("install scripts run for packages that were looked at, and no others", () => {
  const { allowScripts } = JSON.parse(sourceFiles("package.json").get("package.json")!) as {
    allowScripts: Record<string, boolean>;
  };
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  for (const path of withScripts)
    expect(Object.keys(allowScripts)).toContain(path.split("node_modules/").at(-1));
  expect(sourceFiles(".npmrc").get(".npmrc")).toContain("strict-allow-scripts=true");
});

test("versions are exact", () => {
  for (const [path, source] of sourceFiles(
    "package.json",
    "{services,packages,tools}/*/package.json",
    "tests/package.json",
  )) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(source) as Manifest;
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version, path).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  }
});
