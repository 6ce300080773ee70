// Metrics that Prometheus reads, and alerts on services that are gone.
import { envOf, ofKind, selects, serviceOf, workloads, type Manifest } from "../manifest.ts";
import { arrowsOf, components } from "./arrows.ts";
import { faultsOf } from "./pods.ts";

type Endpoint = { port: string; path: string };

/**
 * Each pod that admits Prometheus is scraped, at a port that it has and that is open to it; and each scraped
 * pod admits Prometheus. The alert HoldfastServiceDown names each of our services, since a series that never
 * existed is not 0.
 */
export function everyServiceIsScraped(manifests: Manifest[]): string[] {
  const monitors = ofKind(manifests, "PodMonitor");
  const rules = ofKind(manifests, "PrometheusRule")
    .flatMap(({ spec }) => spec.groups as { rules: { alert?: string; expr: string }[] }[])
    .flatMap((group) => group.rules);
  const down = rules.find(({ alert }) => alert === "HoldfastServiceDown")?.expr ?? "";
  const letIn = new Set(
    [...arrowsOf(manifests).into]
      .filter((arrow) => arrow.startsWith("monitoring -> "))
      .map((arrow) => arrow.replace("monitoring -> ", "")),
  );
  const ports = portsByPod(manifests);
  const scraped = new Set(
    components(manifests).flatMap(({ name, labels }) =>
      monitors
        .filter(({ spec }) => selects(spec.selector, labels))
        .flatMap(({ spec }) => spec.podMetricsEndpoints as Endpoint[])
        .map(
          ({ port }) => `${name}:${ports.get(`${name} ${port}`) ?? `a port ${port} that it does not have`}`,
        ),
    ),
  );
  return [
    ...[...scraped.difference(letIn)].map((one) => `${one} is scraped, and Prometheus is not let in`),
    ...[...letIn.difference(scraped)].map((one) => `${one} lets Prometheus in, which does not scrape it`),
    ...workloads(manifests, "Deployment")
      .map(({ manifest }) => manifest.metadata.name)
      .filter((name) => [...letIn].some((one) => one.startsWith(`${name}:`)))
      .flatMap((name) =>
        faultsOf(name, [
          [
            !down.includes(`absent(up{namespace="holdfast", app_kubernetes_io_name="${name}"})`),
            "is missed by no alert",
          ],
        ]),
      ),
  ];
}

/**
 * Traces and metrics of a service name its pod and its node, under telemetry's names for them. The gateway's
 * listeners are one program, and services of their own.
 */
export function telemetryNamesPodAndNode(manifests: Manifest[]): string[] {
  return (
    workloads(manifests, "Deployment")
      // The keeper of the stream has no telemetry of its own, and the simulator is a bank.
      .filter(({ pod }) => !WITHOUT_TELEMETRY.has(serviceOf(pod.containers[0]!)))
      .flatMap(({ name, manifest, pod }) => {
        const env = envOf(pod.containers[0]!);
        const isNamed = env.get("OTEL_SERVICE_NAME")?.value === manifest.metadata.name;
        const isListener = serviceOf(pod.containers[0]!) === "api-gateway";
        const attributes = (env.get("OTEL_RESOURCE_ATTRIBUTES")?.value ?? "").split(",");
        const missing = Object.entries(RESOURCE).flatMap(([attribute, fieldPath]) => {
          const [, variable = ""] =
            /^\$\((\w+)\)$/.exec(
              attributes.find((one) => one.startsWith(`${attribute}=`))?.slice(attribute.length + 1) ?? "",
            ) ?? [];
          return env.get(variable)?.valueFrom?.fieldRef?.fieldPath === fieldPath
            ? []
            : [`${name}: ${attribute} is not ${fieldPath}`];
        });
        return [
          ...missing,
          ...faultsOf(name, [[isListener && !isNamed, "is the gateway, and does not say which"]]),
        ];
      })
  );
}

const WITHOUT_TELEMETRY: ReadonlySet<string | undefined> = new Set(["installation", "acquirer-simulator"]);
const RESOURCE: Readonly<Record<string, string>> = {
  "service.instance.id": "metadata.name",
  "k8s.pod.name": "metadata.name",
  "k8s.node.name": "spec.nodeName",
};

/** `payments health`: 9000. PostgreSQL's pods are its operator's, whose exporter has a port named `metrics`. */
function portsByPod(manifests: Manifest[]): Map<string, number> {
  const own = workloads(manifests, "Deployment", "StatefulSet").flatMap(({ template, pod }) =>
    pod.containers.flatMap(({ ports = [] }) =>
      ports.map(({ name, containerPort }): [string, number] => [
        `${template.metadata.labels["app.kubernetes.io/name"]} ${name}`,
        containerPort,
      ]),
    ),
  );
  const clusters = ofKind(manifests, "Cluster").map(({ metadata }): [string, number] => [
    `${metadata.name} metrics`,
    9187,
  ]);
  return new Map([...own, ...clusters]);
}
