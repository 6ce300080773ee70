import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_USERS } from "@holdfast/contracts";
import { beforeAll, describe, expect, test } from "vitest";
import { buildOverlay, deployDir, OVERLAYS, type Overlay } from "./build-overlay.ts";
import { ofKind, workloads, type EnvVar, type Manifest, type PodSpec } from "./manifest.ts";
import { networkMarkdown } from "./network-markdown.ts";
import * as availability from "./policies/availability.ts";
import * as images from "./policies/images.ts";
import * as monitoring from "./policies/monitoring.ts";
import * as network from "./policies/network.ts";
import * as pods from "./policies/pods.ts";
import * as postgres from "./policies/postgres.ts";
import * as scheduling from "./policies/scheduling.ts";
import { allWaitAsLongForBanks } from "./policies/banks-time.ts";
import { secondFactorsAreRequired } from "./policies/second-factors.ts";
import * as settings from "./policies/settings.ts";
import * as tls from "./policies/tls.ts";
import {
  configSchemas,
  deadlines,
  extraConnections,
  holdersOfSecrets,
  natsConfig,
  sampleSecret,
} from "./service-facts.ts";
import { validateManifest } from "./validate-manifest.ts";

const built = {} as Record<Overlay, Manifest[]>;
beforeAll(async () => {
  for (const overlay of OVERLAYS) built[overlay] = await buildOverlay(overlay);
});

const networkPage = readFileSync(join(deployDir, "..", "docs", "network.md"), "utf8");

function documented(overlay: Overlay): Set<string> {
  const arrows = network.documentedArrows(networkPage, "Who may connect to whom");
  if (overlay === "development") {
    return arrows.union(network.documentedArrows(networkPage, "In development also"));
  }
  if (overlay !== "production-managed-postgres") return arrows;
  return new Set(
    [...arrows]
      .filter((arrow) => !arrow.includes("CloudNativePG") && !arrow.startsWith("postgres"))
      .map((arrow) => arrow.replace(/ -> postgres:/, " -> database:")),
  );
}

/** One replica may be enough here. */
const SINGLE: ReadonlySet<Overlay> = new Set<Overlay>(["development", "small"]);

type Policy = (manifests: Manifest[], overlay: Overlay) => string[];

const policies: Record<string, Policy> = {
  "pods are restricted": pods.podsAreRestricted,
  "root file systems are read-only": pods.rootFileSystemsAreReadOnly,
  "no pod has a token": pods.noPodHasAToken,
  "resources are bounded": pods.resourcesAreBounded,
  "probes ask the health port": pods.probesAskTheHealthPort,
  "the grace outlasts all deadlines": (manifests) => pods.graceOutlastsDeadlines(manifests, deadlines),
  "images are pinned": images.imagesArePinned,
  "disruption is budgeted": availability.disruptionIsBudgeted,
  "replicas are spread": availability.replicasAreSpread,
  "replicas survive the loss of one": (manifests, overlay) =>
    availability.replicasSurviveOne(manifests, { production: !SINGLE.has(overlay) }),
  "connections fit": (manifests) => availability.connectionsFit(manifests, extraConnections),
  "events are replicated": (manifests) => availability.eventsAreReplicated(manifests, natsConfig),
  // Development has one PostgreSQL, and nothing to lose.
  "PostgreSQL loses nothing": (manifests, overlay) =>
    overlay === "development" ? [] : postgres.postgresLosesNothing(manifests),
  "everything is denied first": network.everythingIsDeniedFirst,
  "arrows are the documented ones": (manifests, overlay) =>
    network.arrowsAreTheDocumented(manifests, documented(overlay)),
  "only merchants and cardholders come in": network.onlyMerchantsAndCardholdersComeIn,
  "certificates can be issued": network.certificatesCanBeIssued,
  "namespaces have a name or a label": network.namespacesHaveNameOrLabel,
  "services find their pods": network.servicesFindTheirPods,
  "every service is scraped": (manifests, overlay) =>
    // Development is not monitored.
    overlay === "development" ? [] : monitoring.everyServiceIsScraped(manifests),
  "telemetry names pod and node": monitoring.telemetryNamesPodAndNode,
  "all wait as long for banks": (manifests) => allWaitAsLongForBanks(manifests, configSchemas),
  "programs start with their settings": (manifests) =>
    settings.programsStartWithTheirSettings(manifests, configSchemas, sampleSecret),
  "connections are encrypted": (manifests, overlay) =>
    settings.connectionsAreEncrypted(manifests, { production: overlay !== "development" }),
  "listeners have TLS": (manifests, overlay) =>
    tls.listenersHaveTls(manifests, { production: overlay !== "development" }),
  "the bus serves renewed certificates": (manifests) =>
    tls.busServesRenewedCertificates(manifests, natsConfig),
  "tokens prove a second factor": (manifests, overlay) =>
    secondFactorsAreRequired(manifests, { production: overlay !== "development" }),
  "secrets are references": settings.secretsAreReferences,
  "external secrets bring every key": (manifests, overlay) =>
    // In development the Secrets are made from .env, whose keys another test compares.
    overlay === "development" ? [] : settings.externalSecretsBringEveryKey(manifests),
  "each service has its bus user": (manifests) => settings.eachServiceHasItsBusUser(manifests, BUS_USERS),
  "secrets go where they are needed": (manifests) =>
    settings.secretsGoWhereTheyAreNeeded(manifests, holdersOfSecrets),
  "stages are in order": settings.stagesAreInOrder,
  "money goes first": scheduling.moneyGoesFirst,
  // In development everything has to fit one machine without other work.
  "requests are honest": (manifests, overlay) =>
    overlay === "development" ? [] : scheduling.requestsAreHonest(manifests),
  "failed Jobs keep their logs": scheduling.failedJobsKeepTheirLogs,
  "data is not pruned": scheduling.dataIsNotPruned,
  "changed Jobs are made again": scheduling.changedJobsAreMadeAgain,
  "every setting is read": settings.everySettingIsRead,
};

describe.each(OVERLAYS)("%s", (overlay) => {
  test("every manifest matches its schema, and has no field that the schema does not know", async () => {
    const faults = await Promise.all(
      built[overlay].map(async (manifest) =>
        (await validateManifest(manifest)).map(
          (fault) => `${manifest.kind} ${manifest.metadata.name} ${fault}`,
        ),
      ),
    );
    expect(faults.flat()).toEqual([]);
    expect(built[overlay].length).toBeGreaterThan(60);
  });

  test.each(Object.keys(policies))("%s", (policy) => {
    expect(policies[policy]!(built[overlay], overlay)).toEqual([]);
  });
});

test("with the component second-logins every process signs in with its second login, and nothing else changes", async () => {
  const expected = structuredClone(built.production);
  let changed = 0;
  for (const { pod } of workloads(expected, "Deployment")) {
    for (const variable of pod.containers.flatMap(({ env = [] }) => env)) {
      const second = SECOND_LOGIN[variable.name];
      if (!second) continue;
      second(variable);
      changed++;
    }
  }
  // Eight are on the bus, too; the console has a database alone, and the keeper of the stream a bus.
  expect(changed).toBe(8 * 4 + 2 + 2);
  const actual = await buildOverlay("production", ["second-logins"]);
  expect(ordered(actual)).toEqual(ordered(expected));
  for (const { name, pod } of workloads(actual, "Deployment")) {
    for (const { env = [] } of pod.containers) expect([name, namedTooEarly(env)]).toEqual([name, []]);
  }
});

/** Sorts each container's variables by name, because kustomize moves the variables of a patch. */
function ordered(manifests: Manifest[]): Manifest[] {
  const copy = structuredClone(manifests);
  for (const { pod } of workloads(copy, "Deployment")) {
    for (const container of pod.containers)
      container.env?.sort((one, other) => one.name.localeCompare(other.name));
  }
  return copy;
}

/** Variables that are named in another one before they stand: Kubernetes would leave `$(NAME)` as it is. */
function namedTooEarly(env: EnvVar[]): string[] {
  const known = new Set<string>();
  return env.flatMap(({ name, value = "" }) => {
    const missing = [...value.matchAll(/\$\((\w+)\)/g)].flatMap(([, named = ""]) =>
      known.has(named) ? [] : `${name}: ${named}`,
    );
    known.add(name);
    return missing;
  });
}

const SECOND_LOGIN: Record<string, (variable: EnvVar) => void> = {
  DATABASE_PASSWORD: ({ valueFrom }) => {
    const key = valueFrom!.secretKeyRef!;
    key.key = key.key.replace(/_PASSWORD$/, "_2_PASSWORD");
  },
  DATABASE_URL: (variable) =>
    void (variable.value = variable.value!.replace(/^(postgres:\/\/\w+):/, "$1_2:")),
  NATS_USER: (variable) => void (variable.value += "-2"),
  NATS_PASSWORD: ({ valueFrom }) => void (valueFrom!.secretKeyRef!.key += "_2"),
};

test("docs/network.md has the arrows of the policies; `npm run generate` writes them again", () => {
  const { production, development } = built;
  expect(networkMarkdown({ production, development })).toBe(networkPage);
});

/** One thing wrong in production's manifests. */
type Break = (manifests: Manifest[]) => void;

function spec(manifests: Manifest[], kind: string, name: string) {
  return ofKind(manifests, kind).find(({ metadata }) => metadata.name.startsWith(name))!.spec;
}
function pod(manifests: Manifest[], kind: string, name: string): PodSpec {
  return workloads(manifests, kind).find(({ manifest }) => manifest.metadata.name.startsWith(name))!.pod;
}
type Alert = { alert?: string; expr: string };
type PolicyRule = { to: { ipBlock?: { cidr: string; except?: string[] } }[] };
const payments = (manifests: Manifest[]) => pod(manifests, "Deployment", "payments");
const container = (manifests: Manifest[]) => payments(manifests).containers[0]!;
const variable = (manifests: Manifest[], name: string) =>
  container(manifests).env!.find((one) => one.name === name)!;
function settingsOf(manifests: Manifest[]): Record<string, string> {
  return ofKind(manifests, "ConfigMap").find(({ data }) => data!["NATS_URL"])!.data!;
}
/** A further policy for every pod. Policies add up, so it opens connections that all other policies deny. */
function networkPolicy(name: string, allowed: Record<string, unknown>): Manifest {
  const metadata = { name, namespace: "holdfast", labels: { "holdfast.dev/stage": "platform" } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata,
    spec: { podSelector: {}, ...allowed },
  };
}
function without(manifests: Manifest[], kind: string, name: string): void {
  manifests.splice(
    manifests.findIndex((one) => one.kind === kind && one.metadata.name === name),
    1,
  );
}

const breaks: Record<string, Record<string, Break>> = {
  "pods are restricted": {
    "a pod may run as root": (all) => void delete payments(all).securityContext!.runAsNonRoot,
    "a pod has no seccomp profile": (all) => void delete payments(all).securityContext!.seccompProfile,
    "a container keeps its capabilities": (all) => void delete container(all).securityContext!.capabilities,
    "a container may gain privileges": (all) =>
      void (container(all).securityContext!.allowPrivilegeEscalation = true),
    "a pod mounts a path of the node": (all) =>
      void payments(all).volumes!.push({ name: "node", hostPath: { path: "/" } }),
  },
  "root file systems are read-only": {
    "a job's is not": (all) =>
      void delete pod(all, "Job", "payments").containers[0]!.securityContext!.readOnlyRootFilesystem,
  },
  "no pod has a token": {
    "a cron job's pod mounts it": (all) =>
      void delete pod(all, "CronJob", "verify-audit").automountServiceAccountToken,
    "a pod mounts it": (all) => void delete payments(all).automountServiceAccountToken,
    "a pod is the namespace's default": (all) => void delete payments(all).serviceAccountName,
    "an account gives it": (all) =>
      void delete ofKind(all, "ServiceAccount").find(({ metadata }) => metadata.name === "payments")!
        .automountServiceAccountToken,
  },
  "resources are bounded": {
    "no limit of memory": (all) => void delete container(all).resources!.limits!["memory"],
    "no request of cpu": (all) => void delete container(all).resources!.requests!["cpu"],
  },
  "probes ask the health port": {
    "a probe is missing": (all) => void delete container(all).readinessProbe,
    "liveness asks for dependencies": (all) => void (container(all).livenessProbe!.httpGet!.path = "/readyz"),
    "a service listens elsewhere": (all) => void (variable(all, "HEALTH_PORT").value = "9001"),
  },
  "the grace outlasts all deadlines": {
    "a service is killed while it drains": (all) => void (payments(all).terminationGracePeriodSeconds = 30),
    "a service goes before it is out of the load balancer": (all) => void delete container(all).lifecycle,
    "nats-server is killed as a lame duck": (all) =>
      void (pod(all, "StatefulSet", "nats").terminationGracePeriodSeconds = 30),
  },
  "images are pinned": {
    latest: (all) => void (container(all).image = "registry.example.com/holdfast/holdfast:latest"),
    "no tag": (all) => void (pod(all, "StatefulSet", "nats").containers[0]!.image = "nats"),
    "a tag without a digest": (all) => {
      const [nats] = pod(all, "StatefulSet", "nats").containers;
      nats!.image = nats!.image.split("@")[0]!;
    },
    "an init container's tag without a digest": (all) =>
      void (pod(all, "StatefulSet", "nats").initContainers![0]!.image = "nats:2.14.7-alpine"),
    "an image that looks like ours": (all) =>
      void (container(all).image = "registry.example.com/holdfast/debugger:0.1.0"),
    "two versions": (all) => void (container(all).image = "registry.example.com/holdfast/holdfast:0.2.0"),
    "a version whose Jobs have the old name": (all) => {
      for (const { pod: one } of workloads(all)) {
        one.containers[0]!.image = one.containers[0]!.image.replace("0.1.0", "0.2.0");
      }
    },
    "PostgreSQL's": (all) =>
      void (spec(all, "Cluster", "postgres").imageName =
        "ghcr.io/cloudnative-pg/postgresql:18.6-standard-trixie"),
  },
  "disruption is budgeted": {
    "a budget is missing": (all) => without(all, "PodDisruptionBudget", "payments"),
    "a budget selects nothing": (all) =>
      void (spec(all, "PodDisruptionBudget", "payments").selector.matchLabels["app.kubernetes.io/name"] =
        "x"),
    "a budget lets all go": (all) =>
      void (spec(all, "PodDisruptionBudget", "payments").maxUnavailable = "100%"),
  },
  "replicas are spread": {
    "not at all": (all) => void delete payments(all).topologySpreadConstraints,
    "so strictly that a full or cordoned node stops a rollout": (all) =>
      void (payments(all).topologySpreadConstraints![0]!.whenUnsatisfiable = "DoNotSchedule"),
    "over nodes that take no pod": (all) =>
      void delete payments(all).topologySpreadConstraints![0]!.nodeTaintsPolicy,
    "two nats-servers on one node": (all) =>
      void (pod(all, "StatefulSet", "nats").topologySpreadConstraints![0]!.whenUnsatisfiable =
        "ScheduleAnyway"),
    "by labels that the pods do not have": (all) =>
      void (payments(all).topologySpreadConstraints![0]!.labelSelector = {
        matchLabels: { app: "payments" },
      }),
  },
  "replicas survive the loss of one": {
    "a single replica": (all) => void (spec(all, "HorizontalPodAutoscaler", "payments").minReplicas = 1),
    "replicas beside an autoscaler": (all) => void (spec(all, "Deployment", "payments").replicas = 3),
    "no autoscaler and no replicas": (all) => without(all, "HorizontalPodAutoscaler", "payments"),
    "an autoscaler between equal bounds": (all) => {
      const scaler = spec(all, "HorizontalPodAutoscaler", "payments");
      scaler.minReplicas = scaler.maxReplicas;
    },
    "a pod goes before the new one is ready": (all) =>
      void (spec(all, "Deployment", "payments").strategy.rollingUpdate.maxUnavailable = 1),
  },
  "connections fit": {
    "too many replicas": (all) => void (spec(all, "HorizontalPodAutoscaler", "payments").maxReplicas = 20),
    "too large pools": (all) => void (variable(all, "DATABASE_CONNECTIONS_MAX").value = "60"),
  },
  "events are replicated": {
    "one copy of each": (all) => {
      const { env } = pod(all, "Deployment", "stream-keeper").containers[0]!;
      env!.find(({ name }) => name === "EVENT_STREAM_REPLICAS")!.value = "1";
    },
    "five servers": (all) => void (spec(all, "StatefulSet", "nats").replicas = 5),
    "a volume smaller than the store": (all) =>
      void (spec(all, "StatefulSet", "nats").volumeClaimTemplates[0].spec.resources.requests.storage = "5Gi"),
  },
  "PostgreSQL loses nothing": {
    "one standby": (all) => void (spec(all, "Cluster", "postgres").instances = 2),
    "copies on one node": (all) =>
      void (spec(all, "Cluster", "postgres").affinity.podAntiAffinityType = "preferred"),
    "no synchronous standby": (all) => void delete spec(all, "Cluster", "postgres").postgresql.synchronous,
    "commits go on without a standby": (all) =>
      void (spec(all, "Cluster", "postgres").postgresql.synchronous.dataDurability = "preferred"),
    "a standby without the last commits is promoted": (all) =>
      void delete spec(all, "Cluster", "postgres").postgresql.synchronous.failoverQuorum,
    "WAL is kept until the volume is full": (all) =>
      void delete spec(all, "Cluster", "postgres").postgresql.parameters.max_slot_wal_keep_size,
    "more WAL is kept than there is room for": (all) =>
      void (spec(all, "Cluster", "postgres").walStorage.size = "10Gi"),
    "values in the log": (all) =>
      void delete spec(all, "Cluster", "postgres").postgresql.parameters.log_parameter_max_length_on_error,
  },
  "everything is denied first": {
    "not at all": (all) => without(all, "NetworkPolicy", "default-deny"),
    "inward only": (all) => void (spec(all, "NetworkPolicy", "default-deny").policyTypes = ["Ingress"]),
  },
  "arrows are the documented ones": {
    "one more out": (all) =>
      void spec(all, "NetworkPolicy", "gateway-public").egress.push({
        to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }],
        ports: [{ protocol: "TCP", port: 443 }],
      }),
    "one less in": (all) => void spec(all, "NetworkPolicy", "nats").ingress[0].from.pop(),
    "from anywhere": (all) => void delete spec(all, "NetworkPolicy", "payments").ingress[0].from,
    "to any port": (all) => void delete spec(all, "NetworkPolicy", "payments").egress[0].ports,
    "an overlay's policy that lets every pod of the cluster in": (all) =>
      void all.push(
        networkPolicy("debugging", {
          policyTypes: ["Ingress"],
          ingress: [{ from: [{ namespaceSelector: {} }] }],
        }),
      ),
    "an overlay's policy that lets everything out": (all) =>
      void all.push(networkPolicy("debugging", { policyTypes: ["Egress"], egress: [{}] })),
    "an overlay's policy with a hole of one address": (all) =>
      void all.push(
        networkPolicy("debugging", {
          policyTypes: ["Egress"],
          egress: [{ to: [{ ipBlock: { cidr: "203.0.113.9/32" } }], ports: [{ port: 22 }] }],
        }),
      ),
    "an overlay's policy that lets every pod ask all that runs beside DNS": (all) =>
      void delete spec(all, "NetworkPolicy", "names").egress[0].to[0].podSelector,
    "at any port": (all) => void delete spec(all, "NetworkPolicy", "names").egress[0].ports,
    "at one port more": (all) =>
      void spec(all, "NetworkPolicy", "names").egress[0].ports.push({ protocol: "TCP", port: 10_250 }),
    "a range of ports": (all) =>
      void (spec(all, "NetworkPolicy", "payments").egress[0].ports[0].endPort = 65_535),
    "another protocol": (all) =>
      void (spec(all, "NetworkPolicy", "payments").egress[0].ports[0].protocol = "UDP"),
    "webhooks to the metadata service of a cloud": (all) => {
      for (const { to } of spec(all, "NetworkPolicy", "webhook-dispatcher").egress as PolicyRule[]) {
        for (const { ipBlock } of to) {
          if (ipBlock?.except) ipBlock.except = ipBlock.except.filter((range) => range !== "169.254.0.0/16");
        }
      }
    },
    "rules of a direction that the policy does not name": (all) =>
      void (spec(all, "NetworkPolicy", "refunds").policyTypes = ["Ingress"]),
    "a policy is missing": (all) => without(all, "NetworkPolicy", "postgres"),
  },
  "only merchants and cardholders come in": {
    "a route for operators": (all) =>
      void (spec(all, "HTTPRoute", "merchant-api").rules[0].backendRefs[0].name = "gateway-operator"),
    "a host whose certificate the Gateway may not read": (all) =>
      void spec(all, "ReferenceGrant", "public-certificates").to.shift(),
    "a route at the plain listener, too": (all) =>
      void delete spec(all, "HTTPRoute", "merchant-api").parentRefs[0].sectionName,
    "a route for every host": (all) => void delete spec(all, "HTTPRoute", "public-pages").hostnames,
    "a load balancer": (all) => void (spec(all, "Service", "gateway-operator").type = "LoadBalancer"),
  },
  "certificates can be issued": {
    "nobody reaches the solver": (all) => without(all, "NetworkPolicy", "acme-solver"),
    "everybody does": (all) => void delete spec(all, "NetworkPolicy", "acme-solver").ingress[0].from,
    "at another port": (all) =>
      void (spec(all, "NetworkPolicy", "acme-solver").ingress[0].ports[0].port = 8080),
  },
  "namespaces have a name or a label": {
    "an ingress controller under another name is locked out": (all) =>
      void spec(all, "NetworkPolicy", "gateway-merchant").ingress[0].from.pop(),
    "so is one that has the usual name": (all) =>
      void spec(all, "NetworkPolicy", "gateway-public").ingress[0].from.shift(),
    "so is Prometheus": (all) => void spec(all, "NetworkPolicy", "payments").ingress[0].from.pop(),
  },
  "services find their pods": {
    "another label": (all) =>
      void (spec(all, "Service", "gateway-merchant").selector["app.kubernetes.io/name"] = "gateway"),
    "another port": (all) => void (spec(all, "Service", "gateway-merchant").ports[0].targetPort = "web"),
  },
  "every service is scraped": {
    "one is forgotten": (all) =>
      void spec(all, "PodMonitor", "holdfast").selector.matchExpressions[0].values.shift(),
    "at a port that no pod has": (all) =>
      void (spec(all, "PodMonitor", "holdfast").podMetricsEndpoints[0].port = "metrics"),
    "Prometheus is not let in": (all) => void spec(all, "NetworkPolicy", "refunds").ingress.pop(),
    "nobody misses one that was never there": (all) => {
      const groups = spec(all, "PrometheusRule", "holdfast").groups as { rules: Alert[] }[];
      const down = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === "HoldfastServiceDown")!;
      down.expr = down.expr.replace(/ *or absent\(up\{[^}]*"console"\}\)/, "");
    },
    "PostgreSQL is not": (all) => without(all, "PodMonitor", "postgres"),
  },
  "telemetry names pod and node": {
    "a number that nobody knows": (all) =>
      void (container(all).env = container(all).env!.filter(
        ({ name }) => name !== "OTEL_RESOURCE_ATTRIBUTES",
      )),
    "a node that is none": (all) =>
      void (variable(all, "NODE_NAME").valueFrom!.fieldRef!.fieldPath = "metadata.namespace"),
    "a listener under the name of all": (all) => {
      const { env } = pod(all, "Deployment", "gateway-operator").containers[0]!;
      env!.find(({ name }) => name === "OTEL_SERVICE_NAME")!.value = "api-gateway";
    },
  },
  "all wait as long for banks": {
    "a process without the bank's time": (all) => {
      const operator = pod(all, "Deployment", "gateway-operator").containers[0]!;
      operator.env = operator.env!.filter(({ name }) => name !== "ACQUIRER_TIMEOUT");
    },
  },
  "programs start with their settings": {
    "a misspelled setting": (all) => void (variable(all, "HOME_COUNTRY").name = "HOME_CUONTRY"),
    "a missing one": (all) =>
      void (container(all).env = container(all).env!.filter(({ name }) => name !== "CARD_SEALING_KEYS")),
    "one of the wrong form": (all) => void (variable(all, "DATABASE_CONNECTIONS_MAX").value = "three"),
    "a part that stands after the whole": (all) =>
      void (container(all).env = container(all).env!.toReversed()),
    "a key that the ConfigMap does not have": (all) =>
      void (variable(all, "LOG_LEVEL").valueFrom!.configMapKeyRef!.key = "LOGLEVEL"),
    "operators' listener without its keys": (all) => {
      const operator = pod(all, "Deployment", "gateway-operator").containers[0]!;
      operator.env = operator.env!.filter(({ name }) => name !== "OPERATOR_JWKS");
    },
  },
  "connections are encrypted": {
    "PostgreSQL's certificate is not checked": (all) =>
      void (variable(all, "DATABASE_URL").value = variable(all, "DATABASE_URL").value!.replace(
        "verify-full",
        "require",
      )),
    "the bus without TLS": (all) => void (settingsOf(all)["NATS_URL"] = "nats://nats:4222"),
    "the operators' keys without TLS": (all) =>
      void (settingsOf(all)["OPERATOR_JWKS"] = "http://login.example.com/jwks.json"),
    "the pages without TLS": (all) => void (settingsOf(all)["PUBLIC_URL"] = "http://pay.example.com"),
    "plain text is allowed": (all) => void (settingsOf(all)["ALLOW_PLAINTEXT"] = "acquirer"),
  },
  "listeners have TLS": {
    "the operator API without": (all) => {
      const operator = pod(all, "Deployment", "gateway-operator").containers[0]!;
      operator.env = operator.env!.filter(({ name }) => name !== "TLS_CERT_FILE");
    },
    "the certificate of another": (all) =>
      void (pod(all, "Deployment", "gateway-merchant").volumes!.find(
        ({ name }) => name === "listener-certificate",
      )!.secret = { secretName: "gateway-public-tls" }),
    "an edge that uses plain HTTP to the pods": (all) => without(all, "BackendTLSPolicy", "gateway-merchant"),
    "an edge that takes another's certificate": (all) =>
      void (spec(all, "BackendTLSPolicy", "gateway-public").validation.hostname =
        "gateway-merchant.holdfast.svc"),
    "an authority that some edges do not read": (all) =>
      void (spec(all, "BackendTLSPolicy", "gateway-public").validation.caCertificateRefs[0].kind = "Secret"),
  },
  "the bus serves renewed certificates": {
    "nobody watches them": (all) => void delete pod(all, "StatefulSet", "nats").initContainers,
    "who watches cannot signal": (all) =>
      void (pod(all, "StatefulSet", "nats").shareProcessNamespace = false),
    "one is forgotten": (all) => void pod(all, "StatefulSet", "nats").initContainers![0]!.args!.pop(),
    "it ends before the server begins": (all) =>
      void delete pod(all, "StatefulSet", "nats").initContainers![0]!.restartPolicy,
  },
  "tokens prove a second factor": {
    "operators' need not": (all) => void delete settingsOf(all)["OPERATOR_REQUIRED_AMR"],
    "those of staff need not": (all) => void (settingsOf(all)["STAFF_REQUIRED_AMR"] = ""),
    "a process does not ask for it": (all) =>
      void (container(all).env = container(all).env!.filter(({ name }) => name !== "STAFF_REQUIRED_AMR")),
  },
  "secrets are references": {
    "a Secret in the manifests": (all) =>
      void all.push({ apiVersion: "v1", kind: "Secret", metadata: { name: "holdfast-secrets" } }),
    "a password in a variable": (all) => {
      const password = variable(all, "NATS_PASSWORD");
      delete password.valueFrom;
      password.value = "hush";
    },
    "a password in an address": (all) =>
      void (variable(all, "DATABASE_URL").value = "postgres://payments_app:hush@postgres-rw/holdfast"),
  },
  "external secrets bring every key": {
    "one is not brought": (all) => void spec(all, "ExternalSecret", "holdfast-secrets").data.pop(),
    "one is brought for nobody": (all) =>
      void spec(all, "ExternalSecret", "holdfast-secrets").data.push({ secretKey: "SPARE_PASSWORD" }),
  },
  "each service has its bus user": {
    "another's user": (all) => void (variable(all, "NATS_USER").value = "refunds"),
    "another's password": (all) =>
      void (variable(all, "NATS_PASSWORD").valueFrom!.secretKeyRef!.key = "NATS_PASSWORD_REFUNDS"),
    "no TLS of its own": (all) =>
      void (container(all).env = container(all).env!.filter(({ name }) => name !== "NATS_CERT_FILE")),
    "a user that nats-server does not know": (all) =>
      void pod(all, "StatefulSet", "nats").containers[0]!.env!.pop(),
    "pages that sign in as the operators' listener": (all) => {
      const { env } = pod(all, "Deployment", "gateway-public").containers[0]!;
      env!.find(({ name }) => name === "NATS_USER")!.value = "gateway-operator";
    },
    "pages with the operators' certificate beside their own": (all) =>
      void pod(all, "Deployment", "gateway-public").volumes!.push({
        name: "another",
        secret: { secretName: "bus-client-gateway-operator" },
      }),
    "pages under the operators' role": (all) => {
      const { env } = pod(all, "Deployment", "gateway-public").containers[0]!;
      const url = env!.find(({ name }) => name === "DATABASE_URL")!;
      url.value = url.value!.replace("gateway_public", "gateway_operator");
    },
  },
  "secrets go where they are needed": {
    "card keys for operators": (all) =>
      void pod(all, "Deployment", "gateway-operator").containers[0]!.env!.push({
        name: "CARD_SEALING_KEYS",
        valueFrom: { secretKeyRef: { name: "holdfast-secrets", key: "CARD_SEALING_KEYS" } },
      }),
    "a service with its schema owner's password": (all) =>
      void (variable(all, "DATABASE_PASSWORD").valueFrom!.secretKeyRef!.key = "PAYMENTS_OWNER_PASSWORD"),
  },
  "stages are in order": {
    "a resource in no stage": (all) =>
      void delete ofKind(all, "Service")[0]!.metadata.labels!["holdfast.dev/stage"],
    "migrations with the services": (all) => {
      const { metadata } = ofKind(all, "Job").find((one) =>
        one.metadata.name.startsWith("payments-migration"),
      )!;
      metadata.labels!["holdfast.dev/stage"] = "service";
      delete metadata.annotations;
    },
    "another wave than stage": (all) =>
      void (ofKind(all, "Job")[0]!.metadata.annotations!["argocd.argoproj.io/sync-wave"] = "1"),
  },
  "money goes first": {
    "payments like a page": (all) => void (payments(all).priorityClassName = "holdfast-pages"),
    "pages above money": (all) =>
      void Object.assign(
        ofKind(all, "PriorityClass").find(({ metadata }) => metadata.name === "holdfast-pages")!,
        { value: 1_000_000 },
      ),
    "PostgreSQL like a batch job": (all) => void delete spec(all, "Cluster", "postgres").priorityClassName,
    "a migration that waits behind pages": (all) =>
      void delete pod(all, "Job", "payments-migration").priorityClassName,
  },
  "requests are honest": {
    "payments may use more memory than it asks for": (all) =>
      void (container(all).resources!.requests!["memory"] = "256Mi"),
    "a burst of twenty times": (all) => void (container(all).resources!.requests!["cpu"] = "100m"),
    "no limit of what logs take": (all) => void delete container(all).resources!.limits!["ephemeral-storage"],
  },
  "failed Jobs keep their logs": {
    "a migration's goes": (all) => void (pod(all, "Job", "payments").restartPolicy = "OnFailure"),
  },
  "data is not pruned": {
    "PostgreSQL is": (all) => void delete ofKind(all, "Cluster")[0]!.metadata.annotations,
    "the namespace is": (all) => void delete ofKind(all, "Namespace")[0]!.metadata.annotations,
  },
  "changed Jobs are made again": {
    "Argo CD would stop at a Job": (all) =>
      void delete ofKind(all, "Job")[0]!.metadata.annotations!["argocd.argoproj.io/sync-options"],
    "Flux would stop at a Job": (all) =>
      void delete ofKind(all, "Job")[0]!.metadata.annotations!["kustomize.toolkit.fluxcd.io/force"],
  },
  "every setting is read": {
    "a misspelled name in the ConfigMap": (all) => void (settingsOf(all)["LOG_LEVLE"] = "debug"),
    "one whose pod is gone": (all) => without(all, "Deployment", "console"),
  },
};

describe("each policy fails on a manifest that breaks it:", () => {
  test("every policy is broken at least once", () => {
    expect(Object.keys(breaks)).toEqual(Object.keys(policies));
  });

  const cases = Object.entries(breaks).flatMap(([policy, broken]) =>
    Object.keys(broken).map((name) => ({ policy, name })),
  );
  test.each(cases)("$policy: $name", ({ policy, name }) => {
    const manifests = structuredClone(built.production);
    breaks[policy]![name]!(manifests);
    expect(manifests).not.toEqual(built.production);
    expect(faultsOrError(policies[policy]!, manifests)).not.toEqual([]);
  });
});

function faultsOrError(policy: Policy, manifests: Manifest[]): string[] {
  try {
    return policy(manifests, "production");
  } catch (error) {
    return [String(error)];
  }
}

test("a managed database's range is one network, and not the whole private space", () => {
  const overlay = "production-managed-postgres";
  const manifests = structuredClone(built[overlay]);
  spec(manifests, "NetworkPolicy", "managed-postgres").egress[0].to[0].ipBlock.cidr = "10.0.0.0/8";
  expect(network.arrowsAreTheDocumented(manifests, documented(overlay))).toContain(
    "payments -> all of 10.0.0.0/8:5432 is not documented",
  );
});

test("images of ours may have a digest beside their tag", () => {
  const manifests = structuredClone(built.production);
  for (const { pod: each } of workloads(manifests)) {
    for (const one of [...each.containers, ...(each.initContainers ?? [])]) {
      if (!one.image.includes("@")) one.image += `@sha256:${"0".repeat(64)}`;
    }
  }
  expect(images.imagesArePinned(manifests)).toEqual([]);
});

test("nats-server's volumes are the same in every overlay, since a StatefulSet's cannot be changed", () => {
  const claims = OVERLAYS.map((overlay) => spec(built[overlay], "StatefulSet", "nats").volumeClaimTemplates);
  for (const claim of claims) expect(claim).toEqual(claims[0]);
});

test("the steps that enlarge nats-server's volumes name what the manifests have", () => {
  const upgrade = readFileSync(join(deployDir, "..", "docs", "upgrade.md"), "utf8");
  const [, kept] = /delete statefulset (\S+) --cascade=orphan/.exec(upgrade)!;
  const [, claim] = /patch pvc (\S+) /.exec(upgrade)!;
  const nats = ofKind(built.production, "StatefulSet").find(({ metadata }) => metadata.name === kept);
  const [template] = nats!.spec.volumeClaimTemplates as Manifest[];
  expect(claim).toBe(`${template!.metadata.name}-${kept}-0`);
});

describe("a manifest is refused by its schema", () => {
  const deployment = () =>
    structuredClone(
      ofKind(built.production, "Deployment").find(({ metadata }) => metadata.name === "payments")!,
    );

  test.each<[string, (spec: Manifest["spec"]) => void]>([
    ["for a field that nobody knows", (one) => void (one.template.spec.containers[0].livenes = {})],
    [
      "for one deep inside a map of maps",
      (one) => void (one.template.spec.volumes[0].secret.secretname = "x"),
    ],
    ["for a field of the wrong type", (one) => void (one.replicas = "three")],
    ["for a required field that is missing", (one) => void delete one.selector],
  ])("%s", async (_, breakIt) => {
    const manifest = deployment();
    breakIt(manifest.spec);
    expect(await validateManifest(manifest)).toHaveLength(1);
  });

  test("for a kind that has no schema here, and for a custom resource's unknown field", async () => {
    expect(await validateManifest({ ...deployment(), kind: "Deploiment" })).toEqual([
      "no schema for apps/v1 Deploiment",
    ]);
    const cluster = structuredClone(ofKind(built.production, "Cluster")[0]!);
    cluster.spec.postgresql.synchronous.quorum = 1;
    expect(await validateManifest(cluster)).toHaveLength(1);
  });
});

test("the secrets that development takes from .env are those its pods ask for", () => {
  const asked = new Set(settings.secretKeysOfPods(built.development));
  const brought = ofKind(built.production, "ExternalSecret")
    .filter(({ metadata }) => metadata.name !== "postgres-backup")
    .flatMap(({ spec: { target, data } }) =>
      data.map(({ secretKey }: { secretKey: string }) => `${target.name}.${secretKey}`),
    );
  expect(asked).toEqual(new Set(brought));
});
