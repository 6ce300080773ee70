// Requirements for every pod of ours, whatever it runs.
import { containers, envOf, ofKind, serviceOf, workloads, type Manifest } from "../manifest.ts";

/**
 * Pod Security Standards, profile *restricted* (https://kubernetes.io/docs/concepts/security/pod-security-standards/).
 */
export function podsAreRestricted(manifests: Manifest[]): string[] {
  return workloads(manifests).flatMap((workload) => {
    const { name, pod } = workload;
    const faults: [boolean, string][] = [
      [pod.securityContext?.runAsNonRoot !== true, "may run as root"],
      [!pod.securityContext?.runAsUser, "names no user to run as"],
      [pod.securityContext?.seccompProfile?.type !== "RuntimeDefault", "has no seccomp profile"],
      [Boolean(pod.hostNetwork || pod.hostPID || pod.hostIPC), "shares a namespace with the node"],
      [(pod.volumes ?? []).some((volume) => "hostPath" in volume), "mounts a path of the node"],
      ...containers(workload).flatMap(({ securityContext: own }): [boolean, string][] => [
        [own?.allowPrivilegeEscalation !== false, "may gain privileges"],
        [own?.privileged === true, "is privileged"],
        [own?.runAsUser === 0, "runs as root"],
        [!own?.capabilities?.drop?.includes("ALL"), "keeps capabilities"],
        [(own?.capabilities?.add ?? []).length > 0, "adds capabilities"],
      ]),
    ];
    return faultsOf(name, faults);
  });
}

export function rootFileSystemsAreReadOnly(manifests: Manifest[]): string[] {
  return workloads(manifests).flatMap((workload) =>
    containers(workload)
      .filter(({ securityContext }) => securityContext?.readOnlyRootFilesystem !== true)
      .map((container) => `${workload.name}: ${container.name} can write to its root file system`),
  );
}

/** No pod of ours calls the Kubernetes API, so none gets a token for it. */
export function noPodHasAToken(manifests: Manifest[]): string[] {
  const accounts = ofKind(manifests, "ServiceAccount");
  return [
    ...accounts
      .filter((account) => account.automountServiceAccountToken !== false)
      .map(({ metadata }) => `ServiceAccount ${metadata.name}: its token is mounted`),
    ...workloads(manifests).flatMap(({ name, pod }) =>
      faultsOf(name, [
        [pod.automountServiceAccountToken !== false, "mounts a token"],
        [
          !accounts.some(({ metadata }) => metadata.name === pod.serviceAccountName),
          "has no service account of its own",
        ],
      ]),
    ),
  ];
}

/** Requests place a pod, limits keep it from its neighbours. */
export function resourcesAreBounded(manifests: Manifest[]): string[] {
  return workloads(manifests).flatMap((workload) =>
    containers(workload).flatMap(({ name, resources }) =>
      (["requests", "limits"] as const).flatMap((kind) =>
        ["cpu", "memory"]
          .filter((resource) => !resources?.[kind]?.[resource])
          .map((resource) => `${workload.name}: ${name} has no ${kind} of ${resource}`),
      ),
    ),
  );
}

/** Probes ask the port named `health`, which for a service is its HEALTH_PORT; liveness never asks for dependencies. */
export function probesAskTheHealthPort(manifests: Manifest[]): string[] {
  return workloads(manifests, "Deployment", "StatefulSet").flatMap((workload) =>
    workload.pod.containers.flatMap((container) => {
      const health = container.ports?.find(({ name }) => name === "health")?.containerPort;
      const configured = envOf(container).get("HEALTH_PORT")?.value;
      return faultsOf(`${workload.name}: ${container.name}`, [
        [health === undefined, "has no port named health"],
        [
          configured !== undefined && configured !== `${health}`,
          `listens for probes on ${configured}, not on ${health}`,
        ],
        ...(["startupProbe", "livenessProbe", "readinessProbe"] as const).map((probe): [boolean, string] => [
          container[probe]?.httpGet?.port !== "health",
          `its ${probe} does not ask the health port`,
        ]),
        [
          container.livenessProbe?.httpGet?.path === "/readyz",
          "would be restarted for what its dependencies do",
        ],
      ]);
    }),
  );
}

/** Periods of a pod's termination, in seconds. */
export type Deadlines = {
  /** The longest a request may be under way. */
  requestSeconds: number;
  /** DRAIN_TIMEOUT. */
  drainSeconds: number;
  /** Closing tasks, pools, bus and telemetry, and writing the rest of the log. */
  closeSeconds: number;
  /** Lame duck of nats-server, with its grace. */
  natsSeconds: number;
};

/**
 * preStop keeps a pod serving until load balancers have noticed its end; the grace period covers that and the
 * longest deadline.
 */
export function graceOutlastsDeadlines(manifests: Manifest[], deadlines: Deadlines): string[] {
  return workloads(manifests, "Deployment", "StatefulSet").flatMap(({ name, pod }) =>
    pod.containers.flatMap((container) => {
      const grace = pod.terminationGracePeriodSeconds ?? 30;
      const { sleep, exec } = container.lifecycle?.preStop ?? {};
      const isNats = !serviceOf(container);
      const needed = isNats
        ? deadlines.natsSeconds
        : (sleep?.seconds ?? 0) +
          Math.max(deadlines.requestSeconds, deadlines.drainSeconds) +
          deadlines.closeSeconds;
      return faultsOf(name, [
        [isNats ? !exec : (sleep?.seconds ?? 0) < 5, "goes before load balancers and clients have heard"],
        [grace <= needed, `has a grace of ${grace} s and needs more than ${needed} s`],
      ]);
    }),
  );
}

export function faultsOf(name: string, faults: [boolean, string][]): string[] {
  return faults.filter(([holds]) => holds).map(([, fault]) => `${name}: ${fault}`);
}
