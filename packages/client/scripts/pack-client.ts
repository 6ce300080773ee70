import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const client = join(import.meta.dirname, "..");
const root = join(client, "..", "..");

/**
 * Builds the package that is published, and packs it. The repository runs the sources directly. Merchants get
 * JavaScript with its types, as ESM and as CommonJS (docs/adr/0031), from the compiler that also checks the
 * sources.
 * @param dir the directory in which the package is built; it is emptied first.
 * @returns the packed file.
 */
export async function packClient(dir: string): Promise<string> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const manifest = JSON.parse(await readFile(join(client, "package.json"), "utf8")) as Manifest;
  for (const [format, options] of Object.entries(FORMATS)) {
    const out = join(dir, format);
    await run(process.execPath, [
      TSC,
      "-p",
      join(client, "tsconfig.build.json"),
      "--outDir",
      out,
      ...options,
    ]);
    const type = format === "esm" ? "module" : "commonjs";
    await writeFile(join(out, "package.json"), json({ type }));
  }
  await writeFile(join(dir, "package.json"), json(published(manifest)));
  await cp(join(client, "README.md"), join(dir, "README.md"));
  await cp(join(root, "LICENSE"), join(dir, "LICENSE"));
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts"], { cwd: dir });
  // npm 12 answers with an object by package, earlier ones with a list.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  if (packed === undefined) throw new Error("npm packed nothing");
  return join(dir, packed.filename);
}

type Manifest = Record<"name" | "version" | "description" | "license", string> & { engines: object };

const TSC = join(root, "node_modules", "typescript", "bin", "tsc");

const FORMATS = {
  esm: [],
  cjs: ["--module", "commonjs", "--moduleResolution", "bundler", "--verbatimModuleSyntax", "false"],
};

function published({ name, version, description, license, engines }: Manifest) {
  const each = (format: string) => ({ types: `./${format}/index.d.ts`, default: `./${format}/index.js` });
  return {
    name,
    version,
    description,
    license,
    engines,
    type: "module",
    sideEffects: false,
    files: Object.keys(FORMATS),
    main: "./cjs/index.js",
    types: "./cjs/index.d.ts",
    exports: { ".": { import: each("esm"), require: each("cjs") }, "./package.json": "./package.json" },
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
