import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openApiJson } from "@holdfast/contracts/openapi";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const LISTENERS = ["merchant", "operator", "staff"] as const;

let documents: string;
beforeAll(async () => {
  documents = await mkdtemp(join(tmpdir(), "holdfast-documents-"));
  for (const listener of LISTENERS) await writeFile(documentOf(listener), openApiJson(listener));
});
afterAll(() => rm(documents, { recursive: true }));

function documentOf(listener: (typeof LISTENERS)[number]): string {
  return join(documents, `openapi.${listener}.json`);
}

/** The documents as clients meet them: by foreign tools alone. */
describe.each(LISTENERS)("the OpenAPI document of the %s API", (listener) => {
  let file: string;
  beforeAll(() => {
    file = documentOf(listener);
  });

  test("has no fault by a linter's strictest rules", async () => {
    const linter = join(root, "node_modules", "@redocly", "cli", "bin", "cli.js");
    const config = join(import.meta.dirname, "redocly.yaml");
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { stdout } = await run(
      process.execPath,
      [linter, "lint", "--config", config, "--format", "json", file],
      {
        env,
      },
    ).catch((error: { stdout: string }) => error);
    expect((JSON.parse(stdout) as { problems: unknown[] }).problems).toEqual([]);
  });

  test("has links that lead from each created record to what can be done with it", async () => {
    const operations = await operationsOf(file);
    const links = [...operations.values()].flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ links = {} }) => Object.values(links)),
    );
    expect(links.length).toBeGreaterThan(10);
    for (const { operationId, parameters } of links) {
      const names = (operations.get(operationId)?.parameters ?? []).map(({ name }) => name);
      expect(names, operationId).toEqual(expect.arrayContaining(Object.keys(parameters)));
    }
    // Each operation with an id in its path can be reached with an id from an answer.
    const reached = new Set(links.map(({ operationId }) => operationId));
    const unreached = [...operations].filter(
      ([operationId, { parameters = [] }]) =>
        parameters.some(({ in: place }) => place === "path") && !reached.has(operationId),
    );
    expect(unreached.map(([operationId]) => operationId)).toEqual(WITHOUT_LINK[listener]);
  });
});

/** Their parameter is no id that an answer generates: digits of a card, a key that is shown once, a person. */
const WITHOUT_LINK = {
  merchant: ["getBin"],
  operator: ["revokeCredential", "readmitOperator"],
  staff: ["revokeCredentialAsStaff"],
};

test("a strict client that a foreign tool generates from them compiles, and refuses what the service refuses", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-generated-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, "node_modules"));
  for (const name of ["@oazapfts", "@types"]) {
    await symlink(join(root, "node_modules", name), join(dir, "node_modules", name));
  }
  const generator = join(root, "node_modules", ".bin", "oazapfts");
  for (const listener of LISTENERS) {
    await run(process.execPath, [generator, documentOf(listener), join(dir, `${listener}.ts`)]);
  }
  await cp(join(import.meta.dirname, "generated-client-use.ts.txt"), join(dir, "use.ts"));
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
  };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await run(process.execPath, [compiler], { cwd: dir }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
});

type Operation = {
  operationId: string;
  parameters?: { in: string; name: string }[];
  responses: Record<string, { links?: Record<string, { operationId: string; parameters: object }> }>;
};

async function operationsOf(file: string): Promise<Map<string, Operation>> {
  const { paths } = JSON.parse(await readFile(file, "utf8")) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Map(operations.map((operation) => [operation.operationId, operation]));
}
