// The connections that the NetworkPolicies allow, as arrows between kinds of pods and peers outside of the namespace.
import { ofKind, selects, workloads, type Labels, type Manifest, type Selector } from "../manifest.ts";

/** `payments -> nats:4222`. */
export type Arrow = string;

/** The arrows allowed by each end of the policies, without DNS, which every pod may ask. */
export function arrowsOf(manifests: Manifest[]): { out: Set<Arrow>; into: Set<Arrow> } {
  const out = new Set<Arrow>();
  const into = new Set<Arrow>();
  const all = components(manifests);
  for (const { spec } of ofKind(manifests, "NetworkPolicy")) {
    const own = all.filter(({ labels }) => selects(spec.podSelector, labels)).map(({ name }) => name);
    const isForAll = Object.keys(spec.podSelector).length === 0;
    for (const rule of rulesOf(spec, "Egress")) {
      for (const { peer, port } of ends(rule.to, rule, all)) {
        if (isForAll && peer === "DNS" && DNS_PORTS.has(port)) continue;
        for (const name of own) out.add(`${name} -> ${peer}:${port}`);
      }
    }
    for (const rule of rulesOf(spec, "Ingress")) {
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
type Port = { port?: number; endPort?: number; protocol?: string };
type Rule = { from?: Peer[]; to?: Peer[]; ports?: Port[] };

const DNS_PORTS: ReadonlySet<string> = new Set(["53", "53/UDP"]);

/** Rules of a direction that the policy does not name have no effect. */
export function rulesOf(spec: Manifest["spec"], direction: "Egress" | "Ingress"): Rule[] {
  const types = (spec.policyTypes ?? ["Ingress", "Egress"]) as string[];
  return types.includes(direction) ? ((spec[direction.toLowerCase()] ?? []) as Rule[]) : [];
}

export function ends(
  peers: Peer[] | undefined,
  { ports }: Rule,
  all: Component[],
): { peer: string; port: string }[] {
  const names = peers ? peers.flatMap((peer) => namesOf(peer, all)) : ["anyone"];
  const numbers = ports ? ports.map(nameOfPort) : ["any"];
  return names.flatMap((peer) => numbers.map((port) => ({ peer, port })));
}

/** `443`, `443-65535`, `53/UDP`. */
function nameOfPort({ port, endPort, protocol = "TCP" }: Port): string {
  const range = endPort === undefined ? `${port ?? "any"}` : `${port}-${endPort}`;
  return protocol === "TCP" ? range : `${range}/${protocol}`;
}

export function namesOf(peer: Peer, all: Component[]): string[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock) return [nameOfRange(ipBlock)];
  if (!namespaceSelector) {
    return all.filter(({ labels }) => selects(podSelector, labels)).map(({ name }) => name);
  }
  const labels = Object.entries(namespaceSelector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const name = NAMESPACES[labels.join()] ?? `a namespace with ${labels.join()}`;
  // Much else runs in the namespace of the cluster's DNS.
  const isAnyPod = podSelector?.matchLabels?.["k8s-app"] !== "kube-dns";
  return [name === "DNS" && isAnyPod ? "any pod beside DNS" : name];
}

/** The meaning of a range of addresses. One that is wider than its meaning gets a name that no table has. */
function nameOfRange({ cidr, except }: NonNullable<Peer["ipBlock"]>): string {
  const isEverything = cidr.endsWith("/0");
  if (except) {
    const missing = (cidr.includes(":") ? PRIVATE_V6 : PRIVATE_V4).filter((range) => !except.includes(range));
    return missing.length === 0 ? "internet" : `internet and ${missing.join(" and ")}`;
  }
  if (isEverything) return "Kubernetes API";
  const bits = Number(cidr.split("/")[1]);
  return bits >= (cidr.includes(":") ? 48 : 16) ? "database" : `all of ${cidr}`;
}
const PRIVATE_V4 = ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];
const PRIVATE_V6 = ["fc00::/7", "fe80::/10"];

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
export function components(manifests: Manifest[]): Component[] {
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
