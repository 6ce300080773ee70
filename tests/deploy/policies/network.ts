// Who may connect to whom: NetworkPolicies, Services and Ingresses.
import { ofKind, selects, workloads, type Labels, type Manifest, type Selector } from "../manifest.ts";
import { faultsOf } from "./pods.ts";

/** `payments -> nats:4222`. */
export type Arrow = string;

/** Everything is refused that is not allowed, in both directions, for pods that nobody has thought of too. */
export function everythingIsDeniedFirst(manifests: Manifest[]): string[] {
  const holds = ofKind(manifests, "NetworkPolicy").some(
    ({ spec }) =>
      Object.keys(spec.podSelector).length === 0 &&
      spec.policyTypes.includes("Ingress") &&
      spec.policyTypes.includes("Egress") &&
      spec.ingress === undefined &&
      spec.egress === undefined,
  );
  return holds ? [] : ["no policy denies everything"];
}

/** What the policies let through is what ARCHITECTURE.md says, from both ends. */
export function arrowsAreTheDocumented(manifests: Manifest[], documented: ReadonlySet<Arrow>): string[] {
  const { out, into } = arrowsOf(manifests);
  const inside = new Set(components(manifests).map(({ name }) => name));
  const [from, to] = [0, 1].map((end) => (arrow: Arrow) => arrow.split(/ -> |:(?=\d+$)/)[end]!);
  return [
    ...[...out, ...into]
      .filter((arrow) => !documented.has(arrow))
      .map((arrow) => `${arrow} is not documented`),
    ...[...documented].flatMap((arrow) => [
      ...(inside.has(from!(arrow)) && !out.has(arrow) ? [`${arrow} is not let out`] : []),
      ...(inside.has(to!(arrow)) && !into.has(arrow) ? [`${arrow} is not let in`] : []),
    ]),
  ];
}

/** What each end of the policies allows, without DNS, which every pod may ask. */
export function arrowsOf(manifests: Manifest[]): { out: Set<Arrow>; into: Set<Arrow> } {
  const out = new Set<Arrow>();
  const into = new Set<Arrow>();
  const all = components(manifests);
  for (const { spec } of ofKind(manifests, "NetworkPolicy")) {
    const own = all.filter(({ labels }) => selects(spec.podSelector, labels)).map(({ name }) => name);
    const isForAll = Object.keys(spec.podSelector).length === 0;
    for (const rule of (spec.egress ?? []) as Rule[]) {
      for (const { peer, port } of ends(rule.to, rule, all)) {
        if (isForAll && peer === "DNS") continue;
        for (const name of own) out.add(`${name} -> ${peer}:${port}`);
      }
    }
    for (const rule of (spec.ingress ?? []) as Rule[]) {
      for (const { peer, port } of ends(rule.from, rule, all)) {
        for (const name of own) into.add(`${peer} -> ${name}:${port}`);
      }
    }
  }
  return { out, into };
}

type Peer = {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
};
type Rule = { from?: Peer[]; to?: Peer[]; ports?: { port?: number }[] };

function ends(
  peers: Peer[] | undefined,
  { ports }: Rule,
  all: Component[],
): { peer: string; port: string }[] {
  const names = peers ? peers.flatMap((peer) => namesOf(peer, all)) : ["anyone"];
  const numbers = ports ? ports.map(({ port }) => `${port ?? "any"}`) : ["any"];
  return names.flatMap((peer) => numbers.map((port) => ({ peer, port })));
}

function namesOf(peer: Peer, all: Component[]): string[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock)
    return [ipBlock.except ? "internet" : ipBlock.cidr.endsWith("/0") ? "Kubernetes API" : "database"];
  if (!namespaceSelector) {
    return all.filter(({ labels }) => selects(podSelector, labels)).map(({ name }) => name);
  }
  const labels = Object.entries(namespaceSelector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [NAMESPACES[labels.join()] ?? `a namespace with ${labels.join()}`];
}

const NAMESPACES: Record<string, string> = {
  "kubernetes.io/metadata.name=ingress": "ingress controller",
  "holdfast.dev/ingress-controller=true": "ingress controller",
  "kubernetes.io/metadata.name=monitoring": "monitoring",
  "holdfast.dev/monitoring=true": "monitoring",
  "kubernetes.io/metadata.name=cnpg-system": "CloudNativePG",
  "kubernetes.io/metadata.name=kube-system": "DNS",
  "holdfast.dev/operators-network=true": "operators' network",
  "holdfast.dev/identity-provider=true": "identity provider",
};

type Component = { name: string; labels: Labels };

/** Kinds of pods by name, PostgreSQL's included, whose operator labels them. */
function components(manifests: Manifest[]): Component[] {
  const own = workloads(manifests).map(({ template }) => ({
    name: template.metadata.labels["app.kubernetes.io/name"]!,
    labels: template.metadata.labels,
  }));
  const clusters = ofKind(manifests, "Cluster").map(({ metadata: { name } }) => ({
    name,
    labels: { "cnpg.io/cluster": name },
  }));
  return [...new Map([...own, ...clusters].map((component) => [component.name, component])).values()];
}

/**
 * The arrows of a table in ARCHITECTURE.md, which begins in the line after its heading: from, to, port. One row may
 * name several on either side, separated by commas.
 */
export function documentedArrows(markdown: string, heading: string): Set<Arrow> {
  const section = markdown.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0];
  if (section === undefined) throw new Error(`there is no section ${heading}`);
  const rows = [...section.matchAll(/^\|(.+)\|$/gm)].slice(2);
  const cells = (cell: string | undefined) => cell!.split(",").map((name) => name.trim().replaceAll("`", ""));
  return new Set(
    rows.flatMap(([, row]) => {
      const [from, to, ports] = row!.split("|");
      return cells(from).flatMap((a) =>
        cells(to).flatMap((b) => cells(ports).map((port) => `${a} -> ${b}:${port}`)),
      );
    }),
  );
}

/** No Ingress, node port or load balancer leads to the operator API, and every Ingress has TLS for its hosts. */
export function onlyMerchantsAndCardholdersComeIn(manifests: Manifest[]): string[] {
  const services = ofKind(manifests, "Service");
  return [
    ...services
      .filter(({ spec }) => !["ClusterIP", undefined].includes(spec.type) || spec.externalIPs)
      .map(({ metadata }) => `Service ${metadata.name}: open to the outside without an Ingress`),
    ...ofKind(manifests, "Ingress").flatMap(({ metadata, spec }) => {
      const hosts: string[] = (spec.rules ?? []).map(({ host }: { host?: string }) => host ?? "*");
      const secured = new Set((spec.tls ?? []).flatMap((tls: { hosts?: string[] }) => tls.hosts ?? []));
      const paths = (spec.rules ?? []).flatMap((rule: { http: { paths: IngressPath[] } }) => rule.http.paths);
      const backends = [
        ...paths.map(({ backend }: IngressPath) => backend),
        spec.defaultBackend ?? [],
      ].flat();
      return faultsOf(`Ingress ${metadata.name}`, [
        [hosts.some((host) => !secured.has(host)), "has a host without TLS"],
        [backends.some(({ service }) => isOperatorApi(manifests, service.name)), "leads to the operator API"],
      ]);
    }),
  ];
}

/**
 * cert-manager proves the names of an Ingress to the authority by a pod beside it, which the ingress controller has to reach,
 * and nobody else.
 */
export function certificatesCanBeIssued(manifests: Manifest[]): string[] {
  const asked = ofKind(manifests, "Ingress").filter(
    ({ metadata }) => metadata.annotations?.["cert-manager.io/cluster-issuer"],
  );
  if (asked.length === 0) return [];
  const solver = [{ name: "solver", labels: { "acme.cert-manager.io/http01-solver": "true" } }];
  const rules = ofKind(manifests, "NetworkPolicy")
    .filter(({ spec }) => selects(spec.podSelector, solver[0]!.labels))
    .flatMap(({ spec }) => (spec.ingress ?? []) as Rule[]);
  const reached = rules.flatMap((rule) =>
    ends(rule.from, rule, solver).map(({ peer, port }) => `${peer}:${port}`),
  );
  const found = [...new Set(reached)];
  return found.join() === "ingress controller:8089"
    ? []
    : [`what answers for a certificate is reached by ${found.join(", ") || "nobody"}`];
}

/** Clusters call these namespaces as they like: each rule takes the usual name, and the label that names another one. */
export function namespacesHaveNameOrLabel(manifests: Manifest[]): string[] {
  return ofKind(manifests, "NetworkPolicy").flatMap(({ metadata, spec }) =>
    ((spec.ingress ?? []) as Rule[]).flatMap(({ from = [] }) => {
      const who = new Set(from.flatMap((peer) => namesOf(peer, [])));
      const asked = from.flatMap(({ namespaceSelector }) =>
        Object.keys(namespaceSelector?.matchLabels ?? {}),
      );
      const labels = new Set(asked);
      return ["ingress controller", "monitoring"]
        .filter((one) => who.has(one))
        .filter((one) => !labels.has(USUAL_NAME) || !labels.has(`holdfast.dev/${one.replace(" ", "-")}`))
        .map((one) => `${metadata.name} lets the ${one} in by its name alone, or by its label alone`);
    }),
  );
}
const USUAL_NAME = "kubernetes.io/metadata.name";

type IngressPath = { backend: { service: { name: string } } };

function isOperatorApi(manifests: Manifest[], serviceName: string): boolean {
  const service = ofKind(manifests, "Service").find(({ metadata }) => metadata.name === serviceName);
  return workloads(manifests).some(
    ({ template, pod }) =>
      selects({ matchLabels: service?.spec.selector ?? {} }, template.metadata.labels) &&
      pod.containers.some(({ env = [] }) => env.some(({ name }) => name === "OPERATOR_API_PORT")),
  );
}

/** Each Service finds pods, and the port it names. */
export function servicesFindTheirPods(manifests: Manifest[]): string[] {
  const all = workloads(manifests, "Deployment", "StatefulSet");
  return ofKind(manifests, "Service").flatMap(({ metadata, spec }) => {
    const own = all.filter(({ template }) =>
      selects({ matchLabels: spec.selector }, template.metadata.labels),
    );
    const named = new Set(
      own.flatMap(({ pod }) => pod.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name))),
    );
    return faultsOf(`Service ${metadata.name}`, [
      [own.length !== 1, `finds ${own.length} workloads`],
      [
        spec.ports.some(({ targetPort }: { targetPort: string }) => !named.has(targetPort)),
        "leads to a port that the pods do not have",
      ],
    ]);
  });
}
