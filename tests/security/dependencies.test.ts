import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

type Locked = {
  link?: boolean;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  license?: string;
  dev?: boolean;
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

/**
 * Licences that require only their text and a notice (THIRD-PARTY-NOTICES.txt), whatever the code is linked
 * with.
 */
const LICENCES = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "Unlicense",
];

test("every package of production has a licence that is allowed", () => {
  const production = installed.filter(([, { dev }]) => !dev);
  expect(production.length).toBeGreaterThan(100);
  for (const [path, { license }] of production) expect(LICENCES, path).toContain(license);
});

const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bxox[abprs]-[A-Za-z0-9-]{20}/,
  /\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,}/,
];

test("no file has a private key, a token or a cloud's key", () => {
  const files = sourceFiles(
    "{.ci,deploy,docs,packages,scripts,services,tests,tools}/**/*.{ts,mjs,js,json,yaml,yml,conf,env,md,sh,sql,html}",
    "*.{json,yml,md}",
    "Dockerfile",
  );
  expect(files.size).toBeGreaterThan(1000);
  for (const [path, source] of files)
    for (const secret of SECRETS) expect(secret.exec(source)?.[0], path).toBeUndefined();
});
