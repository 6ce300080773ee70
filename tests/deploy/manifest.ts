import { SERVICES } from "../../tools/holdfast/src/programs.ts";

// The parts of Kubernetes' resources that our policies check; validate-manifest.ts compares whole resources
// with Kubernetes' own schema.

export type Labels = Record<string, string>;
export type Selector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
};
export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name: string; key: string; optional?: boolean };
    configMapKeyRef?: { name: string; key: string };
    fieldRef?: { fieldPath: string };
  };
};
export type Probe = { httpGet?: { path: string; port: string | number } };
export type Container = {
  name: string;
  image: string;
  args?: string[];
  restartPolicy?: string;
  ports?: { name?: string; containerPort: number }[];
  env?: EnvVar[];
  envFrom?: unknown[];
  securityContext?: {
    privileged?: boolean;
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    runAsUser?: number;
    capabilities?: { drop?: string[]; add?: string[] };
  };
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop?: { sleep?: { seconds: number }; exec?: { command: string[] } } };
};
export type PodSpec = {
  serviceAccountName?: string;
  priorityClassName?: string;
  restartPolicy?: string;
  automountServiceAccountToken?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  shareProcessNamespace?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: {
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seccompProfile?: { type: string };
  };
  topologySpreadConstraints?: {
    maxSkew: number;
    topologyKey: string;
    whenUnsatisfiable: string;
    nodeTaintsPolicy?: string;
    labelSelector?: Selector;
  }[];
  initContainers?: Container[];
  containers: Container[];
  volumes?: (Record<string, unknown> & { secret?: { secretName: string }; configMap?: { name: string } })[];
};
export type PodTemplate = { metadata: { labels: Labels }; spec: PodSpec };

/** A resource. The kinds define `spec` and `data`. */
export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels; annotations?: Record<string, string> };
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind has its own; its schema is checked elsewhere
  spec?: any;
  data?: Record<string, string>;
  automountServiceAccountToken?: boolean;
};

/** A resource that makes pods, with their template. */
export type Workload = { name: string; manifest: Manifest; template: PodTemplate; pod: PodSpec };

export function ofKind(manifests: Manifest[], ...kinds: string[]): Manifest[] {
  return manifests.filter(({ kind }) => kinds.includes(kind));
}

export function workloads(manifests: Manifest[], ...kinds: string[]): Workload[] {
  const wanted =
    kinds.length > 0 ? kinds : ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"];
  return ofKind(manifests, ...wanted).map((manifest) => {
    const { template } = (manifest.kind === "CronJob" ? manifest.spec.jobTemplate.spec : manifest.spec) as {
      template: PodTemplate;
    };
    return { name: `${manifest.kind} ${manifest.metadata.name}`, manifest, template, pod: template.spec };
  });
}

export function containers({ pod }: Workload): Container[] {
  return [...(pod.initContainers ?? []), ...pod.containers];
}

export function selects(selector: Selector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== "In") throw new Error(`the operator ${operator} is not known here`);
      return labels[key] !== undefined && values.includes(labels[key]);
    })
  );
}

/** `simulators` for `registry.example.com/holdfast/simulators:0.1.0`; undefined for a foreign image. */
export function imageNameOf(image: string): string | undefined {
  return /(?:^|\/)holdfast\/([\w-]+)(?:[:@]|$)/.exec(image)?.[1];
}

/** The service whose program a container runs, such as `payments`; undefined for a foreign image. */
export function serviceOf({ image, args = [] }: Pick<Container, "image" | "args">): string | undefined {
  const name = imageNameOf(image);
  if (name === "simulators") return "acquirer-simulator";
  if (name !== "holdfast") return name;
  const [what = "", of = ""] = args;
  if (what in SERVICES) return of === "gateway" ? "api-gateway" : of;
  return OWNERS[what] ?? "installation";
}

/** The services on whose databases commands work; all other commands belong to the installation. */
const OWNERS: Readonly<Record<string, string>> = { "import-bins": "payments", settle: "settlement" };

export function envOf(container: Container): Map<string, EnvVar> {
  return new Map((container.env ?? []).map((variable) => [variable.name, variable]));
}
