// The overlay `small`: its requested resources, the parts of production that it keeps, and
// docs/kubernetes.md's text about it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildOverlay, deployDir } from "./build-overlay.ts";
import { ofKind, workloads, type Manifest } from "./manifest.ts";
import { podsWithoutPlace, roomAskedFor } from "./policies/room.ts";

const page = readFileSync(join(deployDir, "..", "docs", "kubernetes.md"), "utf8");
const section = page.split("\n## A small cluster\n")[1]!.split("\n## ")[0]!;
const small = await buildOverlay("small");
const production = await buildOverlay("production");

const { requests } = roomAskedFor(small, "most", { rolling: false });

test("all pods ask for at most four cores and 8 GiB, and for what the page says", () => {
  expect(requests.cores).toBeLessThanOrEqual(4);
  expect(requests.mebibytes).toBeLessThanOrEqual(8 * 1_024);
  const [, cores, gibibytes] = /ask for (\d+\.\d) cores and (\d+\.\d) GiB/.exec(section)!;
  expect(Math.ceil((requests.mebibytes / 1_024) * 10) / 10).toBe(Number(gibibytes));
  expect(Math.ceil(requests.cores * 10 - 1e-6) / 10).toBe(Number(cores));
});

test("the nodes that the page names have room for a release, and for all but a third copy while one is drained", () => {
  const [, cores, gibibytes] = /three nodes of (\d+) cores and (\d+) GiB/.exec(section)!;
  const nodes = { count: 3, cores: Number(cores), mebibytes: Number(gibibytes) * 1_024 };
  expect(podsWithoutPlace(small, nodes, { scale: "most", rolling: true })).toEqual([]);
  expect(podsWithoutPlace(small, { ...nodes, count: 2 }, { scale: "most", rolling: false })).toEqual([]);
});

test("a payment's way has two of each, PostgreSQL and nats-server have three, and the rest has one", () => {
  const replicas = workloads(small, "Deployment", "StatefulSet").map(({ manifest }): [string, number] => [
    manifest.metadata.name,
    manifest.spec.replicas,
  ]);
  const of = (count: number) => replicas.filter(([, own]) => own === count).map(([name]) => name);
  expect(of(2).toSorted()).toEqual(["gateway-merchant", "gateway-public", "payments"]);
  for (const name of of(2)) expect(section).toContain(`\`${name}\``);
  expect(of(3)).toEqual(["nats"]);
  expect(of(1)).toHaveLength(7);
  expect(ofKind(small, "Cluster")[0]!.spec.instances).toBe(3);
});

test("it has every object of production but the autoscalers, with the same settings and policies", () => {
  const names = (manifests: Manifest[]) =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  const kept = production.filter(({ kind }) => kind !== "HorizontalPodAutoscaler");
  expect(names(small)).toEqual(names(kept));
  for (const kind of ["ConfigMap", "NetworkPolicy", "Certificate", "PodDisruptionBudget"])
    expect(ofKind(small, kind)).toEqual(ofKind(production, kind));
});
