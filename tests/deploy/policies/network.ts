// Connections between pods, and from outside: NetworkPolicies, Services, routes and Ingresses.
import { ofKind, selects, workloads, type Manifest } from "../manifest.ts";
import { arrowsOf, components, ends, namesOf, rulesOf, type Arrow } from "./arrows.ts";
import { faultsOf } from "./pods.ts";

/** Everything that is not allowed is refused, in both directions, also for pods that come later. */
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

/** The policies allow the connections in docs/network.md and no others, from both ends. */
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

/**
 * The arrows of a table in docs/network.md, which begins in the line after its heading: from, to, port. One row may
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

/** No route, Ingress, node port or load balancer leads to the operator API, and each host has TLS. */
export function onlyMerchantsAndCardholdersComeIn(manifests: Manifest[]): string[] {
  const services = ofKind(manifests, "Service");
  return [
    ...services
      .filter(({ spec }) => !["ClusterIP", undefined].includes(spec.type) || spec.externalIPs)
      .map(({ metadata }) => `Service ${metadata.name}: open to the outside without an edge before it`),
    ...routesAreClosed(manifests),
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

type Route = {
  hostnames?: string[];
  parentRefs: { namespace?: string; sectionName?: string }[];
  rules: { backendRefs: { name: string }[] }[];
};

/** A route is for its own hosts, at a listener that has a certificate which its Gateway may read. */
function routesAreClosed(manifests: Manifest[]): string[] {
  return ofKind(manifests, "HTTPRoute").flatMap(({ metadata, spec }) => {
    const { hostnames = [], parentRefs, rules } = spec as Route;
    const secured = parentRefs.map(({ namespace }) => hostsReadableIn(manifests, namespace));
    return faultsOf(`HTTPRoute ${metadata.name}`, [
      [hostnames.length === 0, "takes every host"],
      [parentRefs.some(({ sectionName }) => sectionName === undefined), "is at listeners without TLS, too"],
      [hostnames.some((host) => secured.some((hosts) => !hosts.has(host))), "has a host without TLS"],
      [
        rules.some(({ backendRefs }) => backendRefs.some(({ name }) => isOperatorApi(manifests, name))),
        "leads to the operator API",
      ],
    ]);
  });
}

/** The hosts whose certificates a Gateway of that namespace may read. */
function hostsReadableIn(manifests: Manifest[], namespace: string | undefined): Set<string> {
  const granted = new Set(
    ofKind(manifests, "ReferenceGrant")
      .filter(({ spec }) => (spec as Grant).from.some((from) => from.namespace === namespace))
      .flatMap(({ spec }) => (spec as Grant).to.map(({ name }) => name)),
  );
  return new Set(
    ofKind(manifests, "Certificate")
      .filter(({ spec }) => granted.has(spec.secretName as string))
      .flatMap(({ spec }) => (spec.dnsNames ?? []) as string[]),
  );
}
type Grant = { from: { namespace: string }[]; to: { name?: string }[] };

/**
 * cert-manager proves public names to their authority by a pod beside the services, which only the edge has to reach.
 */
export function certificatesCanBeIssued(manifests: Manifest[]): string[] {
  const isAsked = ofKind(manifests, "Ingress", "Certificate").some(
    ({ metadata, spec }) =>
      metadata.annotations?.["cert-manager.io/cluster-issuer"] || spec.issuerRef?.kind === "ClusterIssuer",
  );
  if (!isAsked) return [];
  const solver = [{ name: "solver", labels: { "acme.cert-manager.io/http01-solver": "true" } }];
  const rules = ofKind(manifests, "NetworkPolicy")
    .filter(({ spec }) => selects(spec.podSelector, solver[0]!.labels))
    .flatMap(({ spec }) => rulesOf(spec, "Ingress"));
  const reached = rules.flatMap((rule) =>
    ends(rule.from, rule, solver).map(({ peer, port }) => `${peer}:${port}`),
  );
  const found = [...new Set(reached)];
  return found.join() === "ingress controller:8089"
    ? []
    : [`what answers for a certificate is reached by ${found.join(", ") || "nobody"}`];
}

/**
 * Clusters name these namespaces differently: each rule accepts the usual name, and a label for any other
 * one.
 */
export function namespacesHaveNameOrLabel(manifests: Manifest[]): string[] {
  return ofKind(manifests, "NetworkPolicy").flatMap(({ metadata, spec }) =>
    rulesOf(spec, "Ingress").flatMap(({ from = [] }) => {
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
