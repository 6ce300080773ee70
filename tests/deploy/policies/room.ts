// The resources that pods request, and the check that nodes of a size have them.
import { ofKind, workloads, type Manifest, type PodSpec } from "../manifest.ts";

export type Room = { cores: number; mebibytes: number };
/** Nodes that are all alike. */
export type Nodes = Room & { count: number };
/** The replicas of each Deployment: the fewest or the most that its autoscaler allows. */
export type Scale = "fewest" | "most";

type Kind = { name: string; each: Room; limit: Room; replicas: number; isApart: boolean };

/**
 * The sums of all pods' requests and limits. @param rolling in the middle of a release, when each Deployment has a pod
 * more
 */
export function roomAskedFor(
  manifests: Manifest[],
  scale: Scale,
  { rolling }: { rolling: boolean },
): { requests: Room; limits: Room } {
  const kinds = kindsOf(manifests, scale, rolling);
  const sum = (of: "each" | "limit"): Room => ({
    cores: total(kinds.map((kind) => kind[of].cores * kind.replicas)),
    mebibytes: total(kinds.map((kind) => kind[of].mebibytes * kind.replicas)),
  });
  return { requests: sum("each"), limits: sum("limit") };
}

/**
 * Places the largest pods first, each on the node with most free cores, as far apart as PostgreSQL and
 * nats-server require.
 *
 * @returns the pods without a place. A replica that must be on a node of its own may wait while there are
 * fewer nodes than replicas, as during a drain, and is not returned.
 */
export function podsWithoutPlace(
  manifests: Manifest[],
  nodes: Nodes,
  { scale, rolling }: { scale: Scale; rolling: boolean },
): string[] {
  const places = Array.from({ length: nodes.count }, () => ({
    cores: nodes.cores - OF_THE_NODE.cores,
    mebibytes: nodes.mebibytes - OF_THE_NODE.mebibytes,
    names: new Set<string>(),
  }));
  const kinds = kindsOf(manifests, scale, rolling).toSorted(
    (one, other) => other.each.cores - one.each.cores,
  );
  return kinds.flatMap(({ name, each, replicas, isApart }) => {
    const wanted = isApart ? Math.min(replicas, nodes.count) : replicas;
    const placed = Array.from({ length: wanted }, () => {
      const place = places
        .filter(({ cores, mebibytes }) => cores >= each.cores && mebibytes >= each.mebibytes)
        .filter(({ names }) => !isApart || !names.has(name))
        .toSorted((one, other) => other.cores - one.cores)[0];
      if (!place) return name;
      place.cores -= each.cores;
      place.mebibytes -= each.mebibytes;
      place.names.add(name);
      return undefined;
    });
    return placed.filter((missing) => missing !== undefined);
  });
}

/** The part of a node for the kubelet, the system and the pods of every node (network, logs, storage). */
const OF_THE_NODE: Room = { cores: 0.5, mebibytes: 1_536 };

function kindsOf(manifests: Manifest[], scale: Scale, rolling: boolean): Kind[] {
  const scalers = ofKind(manifests, "HorizontalPodAutoscaler");
  const own = workloads(manifests, "Deployment", "StatefulSet").map(({ name, manifest, pod }): Kind => {
    const scaler = scalers.find(({ spec }) => spec.scaleTargetRef.name === manifest.metadata.name)?.spec;
    const scaled = scale === "most" ? scaler?.maxReplicas : scaler?.minReplicas;
    const replicas: number = scaled ?? manifest.spec.replicas ?? 1;
    const surge = rolling && manifest.kind === "Deployment" ? 1 : 0;
    const isApart = (pod.topologySpreadConstraints ?? []).some(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
    );
    return {
      name,
      each: roomOf(pod, "requests"),
      limit: roomOf(pod, "limits"),
      replicas: replicas + surge,
      isApart,
    };
  });
  const databases = ofKind(manifests, "Cluster").map(({ metadata, spec }): Kind => ({
    name: `Cluster ${metadata.name}`,
    each: roomFrom(spec.resources.requests),
    limit: roomFrom(spec.resources.limits),
    replicas: spec.instances,
    isApart: spec.affinity.podAntiAffinityType === "required",
  }));
  return [...own, ...databases];
}

/**
 * A container that starts first and keeps running counts; an init container that ends before the others start
 * is smaller.
 */
function roomOf(pod: PodSpec, kind: "requests" | "limits"): Room {
  const running = [...(pod.initContainers ?? []), ...pod.containers].filter(
    (one) => pod.containers.includes(one) || one.restartPolicy === "Always",
  );
  const rooms = running.map(({ resources }) => roomFrom(resources![kind]!));
  return {
    cores: total(rooms.map(({ cores }) => cores)),
    mebibytes: total(rooms.map((one) => one.mebibytes)),
  };
}

function roomFrom(quantities: Record<string, string>): Room {
  const { cpu = "0", memory = "0Mi" } = quantities;
  const [, size, unit] = /^(\d+)(Mi|Gi)$/.exec(memory)!;
  return {
    cores: cpu.endsWith("m") ? Number(cpu.slice(0, -1)) / 1_000 : Number(cpu),
    mebibytes: Number(size) * (unit === "Gi" ? 1_024 : 1),
  };
}

function total(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
