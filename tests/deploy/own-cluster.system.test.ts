// The advice of docs/kubernetes.md for clusters that are not all alike: the room that pods need, and patches for a
// company's overlay.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { buildBeside, buildOverlay, deployDir } from "./build-overlay.ts";
import { envOf, ofKind, workloads, type Manifest } from "./manifest.ts";
import { podsWithoutPlace, roomAskedFor, type Nodes, type Room } from "./policies/room.ts";
import { programsStartWithTheirSettings } from "./policies/settings.ts";
import { configSchemas, sampleSecret } from "./service-facts.ts";
import { validateManifest } from "./validate-manifest.ts";

const readPage = (name: string) => readFileSync(join(deployDir, "..", "docs", name), "utf8");
const page = readPage("kubernetes.md");
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;

/** The production overlay with the patches of one of the page's sections. */
async function productionWith(heading: string): Promise<Manifest[]> {
  const [, patches] = /```yaml\n([^]*?)```/.exec(section(heading))!;
  return await buildBeside(
    `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../production]\n${patches}`,
  );
}

let production: Manifest[];
let patched: Manifest[];
beforeAll(async () => {
  production = await buildOverlay("production");
  patched = await productionWith("What clusters differ in");
});

const changedIn = (manifests: Manifest[]) =>
  manifests.filter((one, index) => JSON.stringify(one) !== JSON.stringify(production[index]));

/** Objects whose pods cannot start with images in a private registry. */
function withoutPullSecret(manifests: Manifest[]): string[] {
  const accounts = ofKind(manifests, "ServiceAccount") as (Manifest & { imagePullSecrets?: unknown[] })[];
  const used = new Set(workloads(manifests).map(({ pod }) => pod.serviceAccountName));
  return [
    ...accounts
      .filter(({ metadata, imagePullSecrets }) => used.has(metadata.name) && !imagePullSecrets?.length)
      .map(({ metadata }) => metadata.name),
    ...ofKind(manifests, "Cluster")
      .filter(({ spec }) => !spec.imagePullSecrets?.length)
      .map(() => "PostgreSQL"),
  ];
}

test("images come from a private registry", () => {
  expect(withoutPullSecret(patched)).toEqual([]);
  expect(withoutPullSecret(production).length).toBeGreaterThan(10);
});

/** Objects that a Prometheus of kube-prometheus-stack does not see. */
function withoutRelease(manifests: Manifest[]): string[] {
  return ofKind(manifests, "PodMonitor", "PrometheusRule")
    .filter(({ metadata }) => metadata.labels?.["release"] !== "kube-prometheus-stack")
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

test("kube-prometheus-stack takes every monitor and every rule", () => {
  expect(withoutRelease(patched)).toEqual([]);
  expect(withoutRelease(production)).toHaveLength(4);
});

/** The DNS servers that every pod may ask: `169.254.20.10/32 UDP 53`. */
function namesAreAsked(manifests: Manifest[]): string[] {
  return ofKind(manifests, "NetworkPolicy")
    .filter(({ spec }) => Object.keys(spec.podSelector).length === 0)
    .flatMap(({ spec }) => (spec.egress ?? []) as Egress[])
    .flatMap(({ to, ports }) =>
      to.flatMap(({ ipBlock, namespaceSelector, podSelector }) =>
        ports.map(({ protocol, port }) => {
          const namespace = namespaceSelector?.matchLabels["kubernetes.io/metadata.name"];
          const pods = Object.entries(podSelector?.matchLabels ?? {}).join();
          return `${ipBlock?.cidr ?? `${namespace} ${pods}`} ${protocol} ${port}`;
        }),
      ),
    );
}
type Labelled = { matchLabels: Record<string, string> };
type Egress = {
  to: { ipBlock?: { cidr: string }; namespaceSelector?: Labelled; podSelector?: Labelled }[];
  ports: { protocol: string; port: number }[];
};

test("every pod asks NodeLocal DNSCache, and nothing beside it", () => {
  const usual = ["kube-system k8s-app,kube-dns UDP 53", "kube-system k8s-app,kube-dns TCP 53"];
  expect(namesAreAsked(production)).toEqual(usual);
  expect(namesAreAsked(patched)).toEqual([...usual, "169.254.20.10/32 UDP 53", "169.254.20.10/32 TCP 53"]);
});

test("the patches make what Kubernetes and the operators know, and change nothing else", async () => {
  expect((await Promise.all(patched.map((one) => validateManifest(one)))).flat()).toEqual([]);
  const changed = changedIn(patched);
  expect([...new Set(changed.map(({ kind }) => kind))].toSorted()).toEqual([
    "Cluster",
    "NetworkPolicy",
    "PodMonitor",
    "PrometheusRule",
    "ServiceAccount",
  ]);
  expect(ofKind(changed, "NetworkPolicy").map(({ metadata }) => metadata.name)).toEqual(["names"]);
});

test("the console gets each setting by which its page has it know the identity provider", () => {
  const [, advice = ""] = readPage("console.md").split("\n## With your identity provider\n");
  const [list = ""] = advice.split("\n## ");
  const named = new Set([...list.matchAll(/`(OIDC_\w+)`/g)].map(([, name]) => name!));
  expect(named.size).toBeGreaterThan(5);
  const { pod } = workloads(production, "Deployment").find(({ name }) => name === "Deployment console")!;
  const given = envOf(pod.containers[0]!);
  expect([...named].filter((name) => !given.has(name))).toEqual([]);
});

const brought = (manifests: Manifest[]): string[] =>
  ofKind(manifests, "ExternalSecret").flatMap(({ spec }) =>
    spec.data.map(({ secretKey }: { secretKey: string }) => secretKey),
  );

/** The keys of Secrets without which pods start. */
const optional = (manifests: Manifest[]): string[] =>
  workloads(manifests)
    .flatMap(({ pod }) => pod.containers.flatMap(({ env = [] }) => env))
    .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
    .filter((secret) => secret.optional)
    .map(({ key }) => key);

test("any other setting, and the password of the console's client, come by the page's patches", async () => {
  const set = await productionWith("Production");
  expect((await Promise.all(set.map((one) => validateManifest(one)))).flat()).toEqual([]);
  expect(programsStartWithTheirSettings(set, configSchemas, sampleSecret)).toEqual([]);
  expect(changedIn(set).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
    expect.arrayContaining(["Deployment gateway-merchant", "ExternalSecret holdfast-secrets"]),
  );
  expect(changedIn(set)).toHaveLength(2);
  const before = new Set(brought(production));
  expect(brought(set).filter((key) => !before.has(key))).toEqual(optional(production));
});

const [, count = "", cores = "", gibibytes = ""] =
  /(\w+) nodes of (\d+) cores and (\d+) GiB/i.exec(section("Places, rights and names")) ?? [];
const documented: Nodes = {
  count: ["one", "two", "three", "four", "five"].indexOf(count.toLowerCase()) + 1,
  cores: Number(cores),
  mebibytes: Number(gibibytes) * 1_024,
};

test("the nodes that the page names have room for all replicas, and for a release while one of them is drained", () => {
  expect(documented.count).toBeGreaterThan(2);
  expect(podsWithoutPlace(production, documented, { scale: "most", rolling: false })).toEqual([]);
  const left = { ...documented, count: documented.count - 1 };
  expect(podsWithoutPlace(production, left, { scale: "fewest", rolling: true })).toEqual([]);
});

test("what does not fit has no place", () => {
  const small = { count: 3, cores: 4, mebibytes: 8_192 };
  expect(podsWithoutPlace(production, small, { scale: "fewest", rolling: false })).not.toEqual([]);
  const hungry = structuredClone(production);
  const payments = workloads(hungry, "Deployment").find(({ name }) => name === "Deployment payments")!;
  payments.pod.containers[0]!.resources!.requests!["cpu"] = "4";
  const without = podsWithoutPlace(hungry, documented, { scale: "most", rolling: false });
  expect(new Set(without)).toContain("Deployment payments");
});

/** Rounds up to tenths. */
const figure = (number: number) => (Math.ceil(number * 10 - 1e-6) / 10).toFixed(1);
const row = (name: string, { requests, limits }: { requests: Room; limits: Room }) => [
  name,
  ...[requests, limits].flatMap((room) => [figure(room.cores), figure(room.mebibytes / 1_024)]),
];

test("a quota that has room for what the page says has room for every pod", () => {
  const rows = [...section("Places, rights and names").matchAll(/^\|(.+)\|$/gm)]
    .slice(2)
    .map(([, cells]) => cells!.split("|").map((cell) => cell.trim()));
  expect(rows).toEqual([
    row("the fewest replicas", roomAskedFor(production, "fewest", { rolling: false })),
    row("all replicas", roomAskedFor(production, "most", { rolling: false })),
    row("all replicas, while a release comes", roomAskedFor(production, "most", { rolling: true })),
  ]);
});
