// Components that an overlay may add: their changes, and that they change nothing else.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { buildOverlay, deployDir, OVERLAYS } from "./build-overlay.ts";
import { envOf, ofKind, selects, serviceOf, workloads, type Manifest } from "./manifest.ts";
import { validateManifest } from "./validate-manifest.ts";

async function faultsOf(manifests: Manifest[]): Promise<string[]> {
  return (await Promise.all(manifests.map((one) => validateManifest(one)))).flat();
}

const clusterOf = (manifests: Manifest[]) => ofKind(manifests, "Cluster")[0]!;
const withoutCluster = (manifests: Manifest[]) => manifests.filter(({ kind }) => kind !== "Cluster");

test.each([
  ["restore", "postgres-2", { targetTime: expect.any(String) }],
  ["standby", "postgres-second-region", undefined],
])(
  "%s: PostgreSQL comes from the archive under the same name, and writes into another one",
  async (component, serverName, recoveryTarget) => {
    const production = await buildOverlay("production");
    const changed = await buildOverlay("production", [component]);
    expect(await faultsOf(ofKind(changed, "Cluster"))).toEqual([]);
    expect(withoutCluster(changed)).toEqual(withoutCluster(production));

    const [{ metadata, spec }, before] = [clusterOf(changed), clusterOf(production)];
    expect(metadata).toEqual(before.metadata);
    const { externalClusters, bootstrap, plugins, replica, ...rest } = spec;
    const { bootstrap: _initdb, plugins: written, ...same } = before.spec;
    expect(rest).toEqual(same);
    // The archive of the base's PostgreSQL, at its place: without one there is nothing to restore.
    const [source] = externalClusters;
    expect(bootstrap).toEqual({
      recovery: { source: source.name, ...(recoveryTarget && { recoveryTarget }) },
    });
    expect(source.plugin).toEqual({
      name: written[0].name,
      parameters: { ...written[0].parameters, serverName: before.metadata.name },
    });
    expect(plugins).toEqual([{ ...written[0], parameters: { ...written[0].parameters, serverName } }]);
    expect(replica).toEqual(component === "standby" ? { enabled: true, source: source.name } : undefined);
  },
);

test("tracing: every service of ours sends traces, and is let out to the collector that it names", async () => {
  const manifests = await buildOverlay("production", ["tracing"]);
  expect(await faultsOf(manifests)).toEqual([]);
  const policy = ofKind(manifests, "NetworkPolicy").find(({ metadata }) => metadata.name === "tracing")!;
  const [{ to, ports }] = policy.spec.egress;
  const services = workloads(manifests, "Deployment").filter(
    ({ pod }) => serviceOf(pod.containers[0]!) !== "installation",
  );
  expect(services.length).toBe(9);
  for (const { name, pod, template } of services) {
    const endpoint = new URL(envOf(pod.containers[0]!).get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")!.value!);
    const [collector, namespace] = endpoint.hostname.split(".");
    expect([name, to[0].podSelector.matchLabels["app.kubernetes.io/name"]]).toEqual([name, collector]);
    expect(to[0].namespaceSelector.matchLabels["kubernetes.io/metadata.name"]).toBe(namespace);
    expect(`${ports[0].port}`).toBe(endpoint.port);
    expect(selects(policy.spec.podSelector, template.metadata.labels)).toBe(true);
  }
});

test("openshift: pods leave their users to the cluster, and are restricted as before", async () => {
  const users = /^(runAsUser|runAsGroup|fsGroup)$/;
  const without = (manifests: Manifest[]): unknown =>
    JSON.parse(JSON.stringify(manifests, (key, value: unknown) => (users.test(key) ? undefined : value)));
  for (const overlay of OVERLAYS) {
    const [before, after] = [await buildOverlay(overlay), await buildOverlay(overlay, ["openshift"])];
    const changed = (manifests: Manifest[]) =>
      manifests.filter(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "names");
    const rest = (manifests: Manifest[]) => manifests.filter((one) => !changed(manifests).includes(one));
    expect(rest(after)).toEqual(without(rest(before)));
    expect(changed(after)[0]!.spec.egress).toContainEqual(expect.objectContaining({ ports: OPENSHIFT_DNS }));
  }
});

const OPENSHIFT_DNS = [
  { protocol: "UDP", port: 5353 },
  { protocol: "TCP", port: 5353 },
];

test("the deployer's Role lets apply every kind of the overlays, and shows no Secret", async () => {
  const role = parse(readFileSync(join(deployDir, "k8s", "deployer.yaml"), "utf8")) as {
    rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  };
  const may = (group: string, resource: string) =>
    role.rules.some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(group) &&
        resources.includes(resource) &&
        ["get", "create", "patch"].every((verb) => verbs.includes(verb)),
    );
  const manifests = (await Promise.all(OVERLAYS.map((overlay) => buildOverlay(overlay)))).flat();
  const missing = manifests
    .filter(({ metadata }) => metadata.labels?.["holdfast.dev/scope"] !== "cluster")
    .map(({ apiVersion, kind }) => ({
      group: /^(.*)\//.exec(apiVersion)?.[1] ?? "",
      resource: pluralOf(kind),
    }))
    .filter(({ group, resource }) => !may(group, resource));
  expect(missing).toEqual([]);
  expect(may("", "secrets")).toBe(false);
  // The role is for its own namespace only.
  expect(role.rules.find(({ resources }) => resources.includes("namespaces"))?.verbs).toEqual(["get"]);
  // The rest belongs to the whole cluster, and is no more than these kinds.
  const shared = manifests.filter(({ metadata }) => metadata.labels?.["holdfast.dev/scope"] === "cluster");
  expect(new Set(shared.map(({ kind }) => kind))).toEqual(
    new Set(["Namespace", "PriorityClass", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]),
  );
});

function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith("y")) return `${name.slice(0, -1)}ies`;
  return name.endsWith("s") ? `${name}es` : `${name}s`;
}

test("a changed setting renames what the pods name, and so rolls them", async () => {
  const [one, other] = await Promise.all([
    buildOverlay("production"),
    buildOverlay("production-managed-postgres"),
  ]);
  const named = (manifests: Manifest[]) =>
    workloads(manifests, "Deployment", "Job").map(
      ({ pod }) => envOf(pod.containers[0]!).get("NATS_URL")?.valueFrom?.configMapKeyRef?.name,
    );
  const [before, after] = [new Set(named(one)), new Set(named(other))];
  expect([...before].filter((name) => name !== undefined && after.has(name))).toEqual([]);
  expect([...before].filter((name) => name !== undefined)).toHaveLength(1);
});
