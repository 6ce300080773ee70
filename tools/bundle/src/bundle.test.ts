import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "./bundle.ts";
import { SIMULATORS } from "./simulators.ts";

const repository = join(import.meta.dirname, "..", "..", "..");

/** A repository with programs of one line, which read an asset and fail on demand. */
function smallRepository(): string {
  const root = mkdtempSync(join(tmpdir(), "holdfast-bundle-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const name of SIMULATORS) write(`tools/${name}/src/main.ts`, `console.log("${name}");\n`);
  write("package.json", '{ "name": "small", "version": "1.2.3" }');
  write("package-lock.json", '{ "packages": { "node_modules/other": { "integrity": "sha512-AAEC" } } }');
  write("node_modules/other/package.json", '{ "name": "other", "version": "4.5.6", "license": "MIT" }');
  write("node_modules/other/index.js", 'export const other = "of another";\n');
  write("node_modules/other/LICENSE", "May be used.\n");
  write("docs/merchant/guide.md", "# Guide\n");
  write("docs/openapi.merchant.json", "{}\n");
  write("deploy/settlement-mappings/one.json", "{}\n");
  write("services/one/src/asset.csv", "an asset\n");
  write("packages/assets/src/asset-path.ts", readFileSync(join(repository, ASSETS), "utf8"));
  write("tools/holdfast/src/main.ts", MAIN);
  return root;
}

const ASSETS = "packages/assets/src/asset-path.ts";
const MAIN = `import { setSourceMapsSupport } from "node:module";
setSourceMapsSupport(true, { nodeModules: true });
await import(${JSON.stringify("./program.ts")});
`;
const PROGRAM = `import { readFileSync } from "node:fs";
import { other } from "other";
import { assetPath } from ${JSON.stringify("../../../packages/assets/src/asset-path.ts")};

type Failing = { fails: boolean };

function report({ fails }: Failing): void {
  console.log(readFileSync(assetPath("services/one/src/asset.csv"), "utf8"), other);
  if (fails) throw new Error("failed as told");
}

report({ fails: process.argv[2] === "fail" });
`;

function withProgram(text = PROGRAM): string {
  const root = smallRepository();
  writeFileSync(join(root, "tools/holdfast/src/program.ts"), text);
  return root;
}

function bundlesOf(root: string): string[] {
  const cache = join(root, "node_modules", ".cache", "holdfast");
  return existsSync(cache) ? readdirSync(cache) : [];
}

test("a simulator's class keeps its name where another module has one of the same name", async () => {
  const root = withProgram();
  writeFileSync(
    join(root, "tools/identity-provider/src/main.ts"),
    `import { Grant as Other } from "./other-grant.ts";
class Grant {}
console.log(new Grant().constructor.name, new Other().constructor.name);
`,
  );
  writeFileSync(join(root, "tools/identity-provider/src/other-grant.ts"), "export class Grant {}\n");
  const { simulators } = await bundle(root);
  const names = execFileSync(process.execPath, [simulators["identity-provider"]], { encoding: "utf8" });
  expect(names).toBe("Grant Grant\n");
});

test("a bundle is built once for the same inputs, and again when one has changed", async () => {
  const root = withProgram();
  const first = await bundle(root);
  expect(await bundle(root)).toEqual(first);
  expect(execFileSync(process.execPath, [first.holdfast], { encoding: "utf8" })).toBe(
    "an asset\n of another\n",
  );
  writeFileSync(join(root, "services/one/src/asset.csv"), "another asset\n");
  const second = await bundle(root);
  expect(second).not.toEqual(first);
  expect(execFileSync(process.execPath, [second.holdfast], { encoding: "utf8" })).toContain("another asset");
  expect(bundlesOf(root)).toHaveLength(2);
});

test("those who build at once get the same bundle, whole, and leave nothing else", async () => {
  const root = withProgram();
  const [one, other] = await Promise.all([bundle(root), bundle(root)]);
  expect(one).toEqual(other);
  expect(bundlesOf(root)).toHaveLength(1);
  for (const file of [one.holdfast, ...Object.values(one.simulators)]) expect(existsSync(file)).toBe(true);
});

test("a build that fails leaves nothing", async () => {
  const root = withProgram(`import ${JSON.stringify("./absent.ts")};\n`);
  await expect(bundle(root)).rejects.toThrow("absent.ts");
  expect(bundlesOf(root)).toEqual([]);
});

test("a bundle that nobody has used for a week goes", async () => {
  const root = withProgram();
  const { holdfast: program } = await bundle(root);
  const longAgo = new Date(Date.now() - 8 * 86_400_000);
  utimesSync(join(program, "..", ".."), longAgo, longAgo);
  writeFileSync(join(root, "docs/merchant/guide.md"), "# Another guide\n");
  await bundle(root);
  expect(existsSync(program)).toBe(false);
});

test("a stack trace has the lines of the sources", async () => {
  const root = withProgram();
  const { holdfast: program } = await bundle(root);
  const { status, stderr } = spawnSync(process.execPath, [program, "fail"], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("tools/holdfast/src/program.ts:9:");
  expect(stderr).toContain("tools/holdfast/src/program.ts:12:");
});

test("a bundle has the licences and the inventory of what is in it", async () => {
  const root = withProgram();
  const folder = join((await bundle(root)).holdfast, "..");
  expect(readFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), "utf8")).toBe(
    "other 4.5.6 (MIT)\n\nMay be used.",
  );
  expect(JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"))).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "small", version: "1.2.3" } },
    components: [
      {
        name: "other",
        version: "4.5.6",
        purl: "pkg:npm/other@4.5.6",
        hashes: [{ alg: "SHA-512", content: "000102" }],
      },
    ],
  });
});
