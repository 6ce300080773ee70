// Priority of pods where nodes are full.
import { containers, ofKind, workloads, type Manifest } from "../manifest.ts";
import { faultsOf } from "./pods.ts";

/** Services by the loss without them. Commands and the verification of the audit logs have no class: they wait. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  "holdfast-money": ["gateway-merchant", "payments", "refunds", "nats"],
  "holdfast-events": ["webhook-dispatcher", "settlement", "stream-keeper"],
  "holdfast-pages": ["gateway-public", "gateway-operator", "gateway-staff", "console"],
};

/** Money is placed before events, and events before pages; PostgreSQL and the bus are money, Jobs are events. */
export function moneyGoesFirst(manifests: Manifest[]): string[] {
  const values = new Map(
    ofKind(manifests, "PriorityClass").map((one) => [
      one.metadata.name,
      (one as { value?: number }).value ?? 0,
    ]),
  );
  const [money = 0, events = 0, pages = 0] = Object.keys(CLASSES).map((name) => values.get(name));
  return [
    ...(money > events && events > pages && pages > 0 ? [] : ["the classes are not in order"]),
    ...Object.entries(CLASSES).flatMap(([wanted, names]) =>
      workloads(manifests, "Deployment", "StatefulSet")
        .filter(({ manifest }) => names.includes(manifest.metadata.name))
        .filter(({ pod }) => pod.priorityClassName !== wanted)
        .map(({ name }) => `${name}: is not of ${wanted}`),
    ),
    // A release is not kept from coming by a full cluster, and takes no place of money's.
    ...workloads(manifests, "Job")
      .filter(({ pod }) => pod.priorityClassName !== "holdfast-events")
      .map(({ name }) => `${name}: is not of holdfast-events`),
    ...ofKind(manifests, "Cluster")
      .filter(({ spec }) => spec.priorityClassName !== "holdfast-money")
      .map(() => "PostgreSQL is not of holdfast-money"),
  ];
}

/**
 * The money path requests all the memory that it may use, so that it is the last to be evicted. No container may burst
 * to more than ten times its request, which LimitRanges of many companies refuse. Logs cannot fill a node's disk.
 */
export function requestsAreHonest(manifests: Manifest[]): string[] {
  return workloads(manifests).flatMap((workload) =>
    containers(workload).flatMap(({ name, resources: { requests = {}, limits = {} } = {} }) => {
      const isMoney = CLASSES["holdfast-money"]!.includes(workload.manifest.metadata.name);
      const ratio = cores(limits["cpu"]) / cores(requests["cpu"]);
      return [
        ...(isMoney && requests["memory"] !== limits["memory"]
          ? ["asks for less memory than it may use"]
          : []),
        ...(ratio <= 10 ? [] : [`may use ${ratio} times the cores it asks for`]),
        ...(limits["ephemeral-storage"] && requests["ephemeral-storage"] ? [] : ["may fill the node's disk"]),
      ].map((fault) => `${workload.name}: ${name} ${fault}`);
    }),
  );
}

function cores(quantity = "0"): number {
  return quantity.endsWith("m") ? Number(quantity.slice(0, -1)) / 1_000 : Number(quantity);
}

/** A failed Job's pod stays: with `OnFailure` the kubelet removes it at the last attempt, and its log with it. */
export function failedJobsKeepTheirLogs(manifests: Manifest[]): string[] {
  return workloads(manifests, "Job", "CronJob")
    .filter(({ pod }) => pod.restartPolicy !== "Never")
    .map(({ name }) => `${name}: its log goes with its last attempt`);
}

/** Tools that prune or delete what they have applied (Argo CD, Flux) spare objects with data. */
export function dataIsNotPruned(manifests: Manifest[]): string[] {
  return ofKind(manifests, "Namespace", "Cluster", "StatefulSet")
    .filter(
      ({ metadata: { annotations = {} } }) =>
        !/Prune=false,Delete=false/.test(annotations["argocd.argoproj.io/sync-options"] ?? "") ||
        annotations["kustomize.toolkit.fluxcd.io/prune"] !== "disabled",
    )
    .map(({ kind, metadata }) => `${kind} ${metadata.name}: may be pruned`);
}

/**
 * Makes annotations recreate a changed Job: its template cannot be changed, and Argo CD and Flux do not
 * delete it by themselves.
 */
export function changedJobsAreMadeAgain(manifests: Manifest[]): string[] {
  return ofKind(manifests, "Job").flatMap(({ metadata: { name, annotations = {} } }) =>
    faultsOf(`Job ${name}`, [
      [
        annotations["argocd.argoproj.io/sync-options"] !== "Force=true,Replace=true",
        "Argo CD cannot apply a changed setting",
      ],
      [annotations["kustomize.toolkit.fluxcd.io/force"] !== "enabled", "Flux cannot apply a changed setting"],
    ]),
  );
}
