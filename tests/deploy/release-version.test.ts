// A release's version is in many places (docs/release.md), and a change has to reach all of them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployDir } from "./build-overlay.ts";

const repository = join(deployDir, "..");
const read = (file: string) => readFileSync(join(repository, file), "utf8");

const FILES: readonly (readonly [files: string[], version: RegExp])[] = [
  [
    [
      "package.json",
      "tests/package.json",
      ...globSync("{packages,services,tools}/*/package.json", { cwd: repository }),
    ],
    /^ {2}"version": "([^"]+)"|"@holdfast\/[\w-]+": "([^"]+)"/gm,
  ],
  [["Dockerfile"], /^ARG VERSION=(\S+)/gm],
  [["docker-compose.yml"], /\$\{HOLDFAST_VERSION:-([^}]+)\}/g],
  [globSync("deploy/k8s/overlays/*/kustomization.yaml", { cwd: repository }), /\bnewTag: ([^\s,}]+)/g],
  // Names of Kubernetes: 0-1-0.
  [["deploy/k8s/base/jobs/kustomization.yaml"], /^nameSuffix: -([\w-]+)/gm],
  [globSync("docs/*.md", { cwd: repository }), /holdfast\/(?:[$\w-]+|\*):(\d[\w.]*)/g],
];

/** Each place with a version: file and version. */
function versionsOf(file: string, text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map(([, one, other]) => [file, (one ?? other)!.replaceAll("-", ".")]);
}

test("a release has one version, wherever it stands", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  for (const [files, pattern] of FILES) {
    const found = files.flatMap((file) => versionsOf(file, read(file), pattern));
    expect([files[0], found.length]).not.toEqual([files[0], 0]);
    expect(found.filter(([, one]) => one !== version)).toEqual([]);
  }
});

test("a place that was forgotten is seen", () => {
  const [, ofImages] = FILES.find(([[file]]) => file === "docker-compose.yml")!;
  const text = "image: holdfast/holdfast:${HOLDFAST_VERSION:-0.0.9}";
  expect(versionsOf("docker-compose.yml", text, ofImages)).toEqual([["docker-compose.yml", "0.0.9"]]);
});
