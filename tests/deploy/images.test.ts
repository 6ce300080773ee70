// Images outside the manifests of Kubernetes: docker-compose.yml, the Dockerfile and the digests beside them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { IMAGE_ENVIRONMENT } from "@holdfast/sandbox";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { buildOverlay, deployDir } from "./build-overlay.ts";
import { imageNameOf, ofKind, workloads } from "./manifest.ts";
import { namedImagesArePinned, OUR_IMAGES, type ImageSources } from "./policies/images.ts";

const repository = join(deployDir, "..");
const read = (...path: string[]) => readFileSync(join(repository, ...path), "utf8");

function sources(): ImageSources {
  const { services } = parse(read("docker-compose.yml"), { merge: true, maxAliasCount: 300 }) as {
    services: Record<string, { image: string }>;
  };
  return {
    compose: Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image])),
    dockerfile: read("Dockerfile"),
    digests: parseEnv(read("deploy", "compose", "images.env")) as Record<string, string>,
  };
}

test("every foreign image of docker-compose.yml and of the Dockerfile has a digest", () => {
  expect(namedImagesArePinned(sources())).toEqual([]);
  expect(Object.keys(sources().digests).toSorted()).toEqual(["NATS_IMAGE", "NODE_IMAGE", "POSTGRES_IMAGE"]);
});

const breaks: Record<string, [(named: ImageSources) => void, string]> = {
  "a service with a tag alone": [
    ({ compose }) => void (compose["grafana"] = "grafana/grafana:12.3.1"),
    "grafana: grafana/grafana:12.3.1 can change under its name",
  ],
  "a variable without a digest": [
    ({ digests }) => void (digests["NATS_IMAGE"] = "nats:2.14.7-alpine"),
    "nats: nats:2.14.7-alpine can change under its name",
  ],
  "a variable that images.env does not have": [
    ({ digests }) => void delete digests["POSTGRES_IMAGE"],
    "postgres: POSTGRES_IMAGE of images.env can change under its name",
  ],
  "another image under the digest": [
    ({ digests }) => void (digests["NODE_IMAGE"] = digests["NATS_IMAGE"]!),
    "in images.env and node:26-slim otherwise",
  ],
  "a Dockerfile's second base": [
    (named) => void (named.dockerfile += "\nFROM debian:trixie-slim AS tools\n"),
    "Dockerfile: debian:trixie-slim can change under its name",
  ],
  "an image of ours without a version": [
    ({ compose }) => void (compose["payments"] = "holdfast/holdfast"),
    "payments: holdfast/holdfast can change under its name",
  ],
  "an image of nobody's": [
    ({ compose }) => void (compose["payments"] = "holdfast/debugger:0.1.0"),
    "payments: holdfast/debugger:0.1.0 can change under its name",
  ],
};

test.each(Object.entries(breaks))("%s is refused", (_, [breakIt, fault]) => {
  const named = sources();
  breakIt(named);
  expect(namedImagesArePinned(named).join("\n")).toContain(fault);
});

test("our images are those that the Dockerfile can build and that run", () => {
  const stages = [...sources().dockerfile.matchAll(/^FROM runtime AS (\S+)$/gm)].map(([, stage]) => stage);
  expect([...OUR_IMAGES].toSorted()).toEqual(stages.toSorted());
  const running = Object.values(sources().compose).flatMap((image) => imageNameOf(image) ?? []);
  expect([...new Set(running)].toSorted()).toEqual(stages.toSorted());
});

test("nats-server and the drill's PostgreSQL are those of the manifests", async () => {
  const manifests = await buildOverlay("production");
  const [nats] = workloads(manifests, "StatefulSet");
  expect(sources().digests["NATS_IMAGE"]).toBe(nats!.pod.containers[0]!.image);
  const drill = [...read("docs", "backup.md").matchAll(/imageName: (\S+)/g)].map(([, image]) => image);
  expect(drill).toEqual([ofKind(manifests, "Cluster")[0]!.spec.imageName]);
});

test("a process of the sandbox has the memory that its image gives it", () => {
  const given = Object.entries(IMAGE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  expect(sources().dockerfile).toContain(`\nENV ${given.join(" ")}\n`);
});

test("the documents sign and verify images by digest, and no tag", () => {
  const commands = globSync("docs/*.md", { cwd: repository }).flatMap((document) =>
    [...read(document).matchAll(/cosign (sign|verify) [^`\n]*/g)].map(([command, verb]) => ({
      verb,
      command,
    })),
  );
  expect(new Set(commands.map(({ verb }) => verb))).toEqual(new Set(["sign", "verify"]));
  for (const { command } of commands) expect(command).toMatch(/ --key \S+ REGISTRY\/holdfast\/\w+@sha256:/);
});
