// While an image is built: keeps one program of the repository and what it imports. The manifests are rewritten to say
// just that, so that `npm ci` installs, and `npm sbom` lists, what is in the image and nothing else.
//
//   node select-program.mjs payments
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const scope = "@holdfast/";
const program = scope + process.argv[2];
const directories = new Map(
  ["services", "packages", "tools"].flatMap((parent) =>
    readdirSync(parent).map((name) => [scope + name, join(parent, name)]),
  ),
);
if (!existsSync(join(directories.get(program) ?? "", "src", "main.ts"))) {
  process.stderr.write(
    `SERVICE must name a folder of services/, packages/ or tools/ that has a src/main.ts\n`,
  );
  process.exit(1);
}

const needed = withImports(program);
for (const [name, directory] of directories) {
  if (!needed.has(name)) rmSync(directory, { recursive: true });
  else writeManifest(directory, { ...readManifest(directory), devDependencies: undefined });
}
const { version, license, overrides } = readManifest(".");
const workspaces = [...needed].map((name) => directories.get(name));
writeManifest(".", {
  name: `holdfast-${process.argv[2]}`,
  version,
  license,
  private: true,
  workspaces,
  overrides,
});
// Only the program that reads banks' files needs to know how.
if (program !== `${scope}settlement`) rmSync(join("deploy", "settlement-mappings"), { recursive: true });
// Only the gateway shows merchants their guides.
if (program !== `${scope}api-gateway`) rmSync("docs", { recursive: true });
// The image's command is the same for every program.
symlinkSync(directories.get(program), "program");

/** The names of the workspaces that a workspace imports, and its own. */
function withImports(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const imports = Object.keys(readManifest(directories.get(name)).dependencies ?? {});
  for (const imported of imports.filter((one) => directories.has(one))) withImports(imported, found);
  return found;
}

function readManifest(directory) {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
}

function writeManifest(directory, manifest) {
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
