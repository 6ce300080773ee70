// docs/versions.md: the images and the versions of others' programs, as deploy/ names them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { deployDir } from "./build-overlay.ts";
import { customResourceSchemas } from "./custom-resource-schemas.ts";
import { imageNameOf } from "./manifest.ts";
import { OUR_IMAGES } from "./policies/images.ts";

const repository = join(deployDir, "..");
const read = (file: string) => readFileSync(join(repository, file), "utf8");
const page = read("docs/versions.md");

/** Cells of a section's table, by row. */
function rowsOf(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
  return [...section.matchAll(/^\|(.+)\|$/gm)]
    .slice(2)
    .map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));
}

/** Foreign images of deploy/ and docker-compose.yml; of a variable its default, where images.env does not have it. */
function imagesNamed(): Set<string> {
  const digests = parseEnv(read("deploy/compose/images.env"));
  const files = ["docker-compose.yml", ...globSync("deploy/**/*.{yaml,yml,env}", { cwd: repository })];
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/(?:\bimage(?:Name)?: |^\w+_IMAGE=)(\S+)$/gm)].map(([, image = ""]) => image),
  );
  return new Set(
    named.flatMap((image) => {
      const [, variable = "", byDefault = image] = /^\$\{(\w+):-(.+)\}$/.exec(image) ?? [];
      const isOurs = OUR_IMAGES.has(imageNameOf(byDefault) ?? "");
      return isOurs || variable in digests ? [] : [byDefault];
    }),
  );
}

const images = rowsOf("Images").map(([image = "", digest = ""]) => ({
  image: image.replaceAll("`", ""),
  digest: digest.replaceAll("`", ""),
}));

test("the list has every foreign image that an installation pulls, with its digest", () => {
  expect(images.filter(({ digest }) => !/^sha256:[0-9a-f]{64}$/.test(digest))).toEqual([]);
  const listed = images.map(({ image, digest }) => `${image}@${digest}`);
  expect(listed.toSorted()).toEqual([...imagesNamed()].toSorted());
});

const matrix = new Map(rowsOf("What it runs with").map(([part = "", ...cells]) => [part, cells]));

test.each([
  ["PostgreSQL", /^ghcr\.io\/cloudnative-pg\/postgresql:(\d+\.\d+)-/],
  ["PostgreSQL", /^postgres:(\d+\.\d+)@/],
  ["NATS", /^nats:(\d+\.\d+\.\d+)-/],
  ["Prometheus", /^prom\/prometheus:v(\d+\.\d+\.\d+)@/],
])("the pinned %s is that of %s", (part, pattern) => {
  const found = [...imagesNamed()].flatMap((image) => pattern.exec(image)?.[1] ?? []);
  expect(found).toEqual([matrix.get(part)?.[1]]);
});

test("the matrix has every API of others that the manifests use, and no other", () => {
  const used = Object.keys(customResourceSchemas).map((name) => name.split("/").slice(0, 2).join("/"));
  const named = [...matrix.values()].flatMap(([needed = ""]) =>
    [...needed.matchAll(/`([\w.-]+\/v\w+)`/g)].map(([, name = ""]) => name),
  );
  expect(named.toSorted()).toEqual([...new Set(used)].toSorted());
});

test("the oldest Kubernetes is the one that kubernetes.md and the scripts name", () => {
  const [needed = ""] = matrix.get("Kubernetes")!;
  const [, cluster, kubectl] = /^(\d\.\d+) or newer, with kubectl (\d\.\d+) or newer$/.exec(needed)!;
  expect(read("docs/kubernetes.md")).toContain(`Kubernetes ${cluster} or newer`);
  for (const script of ["deploy/k8s/apply", "deploy/k8s/run"])
    expect(read(script)).toContain(`kubectl ${kubectl} or newer`);
});
