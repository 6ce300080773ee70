// Conditions under which nodes are drained, versions rolled and load grows without anything being lost or refused.
import { envOf, ofKind, selects, serviceOf, workloads, type Manifest } from "../manifest.ts";
import { faultsOf } from "./pods.ts";

/** Exactly one PodDisruptionBudget holds each workload, and it never lets more than one pod go at a time. */
export function disruptionIsBudgeted(manifests: Manifest[]): string[] {
  const budgets = ofKind(manifests, "PodDisruptionBudget");
  return [
    ...workloads(manifests, "Deployment", "StatefulSet").flatMap(({ name, template }) => {
      const own = budgets.filter(({ spec }) => selects(spec.selector, template.metadata.labels));
      return own.length === 1 ? [] : [`${name}: ${own.length} disruption budgets`];
    }),
    ...budgets
      .filter(({ spec }) => spec.maxUnavailable !== 1 || spec.minAvailable !== undefined)
      .map(({ metadata }) => `PodDisruptionBudget ${metadata.name}: not maxUnavailable 1`),
  ];
}

/**
 * Replicas go to different nodes and zones if there are any. Only nats-servers require this: of three, two on
 * one node would be a majority that is lost with the node. Workloads that scale do not require it: with
 * cordoned, tainted or full nodes a rollout would wait forever for a place. Nodes whose taints a pod does not
 * tolerate do not count.
 */
export function replicasAreSpread(manifests: Manifest[]): string[] {
  return workloads(manifests, "Deployment", "StatefulSet").flatMap(({ name, pod, template }) =>
    [
      {
        key: "kubernetes.io/hostname",
        unsatisfiable: name === "StatefulSet nats" ? "DoNotSchedule" : "ScheduleAnyway",
      },
      { key: "topology.kubernetes.io/zone", unsatisfiable: "ScheduleAnyway" },
    ].flatMap(({ key, unsatisfiable }) => {
      const holds = (pod.topologySpreadConstraints ?? []).some(
        (constraint) =>
          constraint.topologyKey === key &&
          constraint.maxSkew === 1 &&
          constraint.nodeTaintsPolicy === "Honor" &&
          constraint.whenUnsatisfiable === unsatisfiable &&
          selects(constraint.labelSelector, template.metadata.labels),
      );
      return holds ? [] : [`${name}: not spread over ${key}`];
    }),
  );
}

/** Production has at least two of everything, and a new pod is ready before an old one ends. */
export function replicasSurviveOne(manifests: Manifest[], { production }: { production: boolean }): string[] {
  const scalers = ofKind(manifests, "HorizontalPodAutoscaler");
  return workloads(manifests, "Deployment").flatMap(({ name, manifest }) => {
    const own = scalers.filter(({ spec }) => spec.scaleTargetRef.name === manifest.metadata.name);
    const { replicas, strategy } = manifest.spec;
    const least: number = own[0]?.spec.minReplicas ?? replicas ?? 1;
    return faultsOf(name, [
      [
        own.length > 0 && replicas !== undefined,
        "has replicas, which an apply would take from its autoscaler",
      ],
      [own.length === 0 && replicas === undefined, "has neither an autoscaler nor replicas"],
      [
        own.some(({ spec }) => spec.minReplicas === spec.maxReplicas),
        "has an autoscaler that can change nothing: replicas say the same",
      ],
      [production && least < 2, "has a single replica"],
      [
        strategy?.type !== "Recreate" && strategy?.rollingUpdate?.maxUnavailable !== 0,
        "loses a pod before the new one is ready",
      ],
    ]);
  });
}

/** Connections that a process opens beside DATABASE_CONNECTIONS_MAX: the pools in each service's `service.ts`. */
export type ExtraConnections = Readonly<Record<string, number>>;

/**
 * At the largest scale, during a rolling update, and with 20 connections for people, PostgreSQL has enough
 * connections.
 */
export function connectionsFit(manifests: Manifest[], extra: ExtraConnections): string[] {
  const [cluster] = ofKind(manifests, "Cluster");
  if (!cluster) return [];
  const limit = Number(cluster.spec.postgresql.parameters.max_connections);
  const needed = connectionsAtMost(manifests, extra) + CONNECTIONS_FOR_PEOPLE;
  return needed <= limit ? [] : [`${needed} connections are needed, PostgreSQL has ${limit}`];
}

function connectionsAtMost(manifests: Manifest[], extra: ExtraConnections): number {
  const scalers = ofKind(manifests, "HorizontalPodAutoscaler");
  return workloads(manifests, "Deployment")
    .map(({ manifest, pod }) => {
      const container = pod.containers[0]!;
      const service = serviceOf(container)!;
      const own = Number(envOf(container).get("DATABASE_CONNECTIONS_MAX")?.value ?? 0);
      if (own === 0) return 0;
      const scaler = scalers.find(({ spec }) => spec.scaleTargetRef.name === manifest.metadata.name);
      const most: number = (scaler?.spec.maxReplicas ?? manifest.spec.replicas ?? 1) + 1;
      return most * (own + (extra[service] ?? 0));
    })
    .reduce((sum, count) => sum + count, 0);
}

const CONNECTIONS_FOR_PEOPLE = 20;

/** Events have as many copies as there are servers, and the stream fits the disk it is given. */
export function eventsAreReplicated(manifests: Manifest[], natsConfig: string): string[] {
  const nats = workloads(manifests, "StatefulSet").find(({ manifest }) => manifest.metadata.name === "nats");
  const servers: number = nats?.manifest.spec.replicas ?? 0;
  const routes = natsConfig.match(/nats-route:\/\//g)?.length ?? 0;
  const store = Number(/max_file_store: (\d+)GB/.exec(natsConfig)?.[1]);
  const volume = Number.parseInt(
    nats?.manifest.spec.volumeClaimTemplates?.[0]?.spec.resources.requests.storage ?? "0",
    10,
  );
  return [
    ...(servers === 3 ? [] : [`${servers} nats-servers`]),
    ...(routes === servers ? [] : [`${routes} routes for ${servers} nats-servers`]),
    ...(store < volume ? [] : [`JetStream may take ${store} GB of a volume of ${volume} Gi`]),
    ...workloads(manifests).flatMap(({ name, manifest, pod }) => {
      const replicas = envOf(pod.containers[0]!).get("EVENT_STREAM_REPLICAS")?.value;
      // The image also verifies the audit logs, in a CronJob.
      const makesTheStream = serviceOf(pod.containers[0]!) === "installation" && manifest.kind !== "CronJob";
      return makesTheStream && replicas !== `${servers}`
        ? [`${name}: ${replicas ?? 1} copies of an event`]
        : [];
    }),
  ];
}
