// Settings of processes: ones that they know and can start with, secrets by reference, users of the bus.
import { busLoginsOf, EVENT_SOURCES } from "@holdfast/contracts";
import { parseConfig } from "@holdfast/service-runtime";
import type { z } from "zod";
import {
  envOf,
  ofKind,
  serviceOf,
  workloads,
  type Container,
  type Manifest,
  type Workload,
} from "../manifest.ts";
import { faultsOf } from "./pods.ts";

/** The schema of the environment of each program in an image. */
export type ConfigSchemas = Readonly<Record<string, z.ZodObject>>;

/** Stands for a secret's value where a setting's form is checked. */
export type SecretSamples = (key: string) => string;

/**
 * Each variable is known to the program, or part of a known one, and the program starts with all of them: its
 * own schema accepts the ConfigMap's settings and sample secrets.
 */
export function programsStartWithTheirSettings(
  manifests: Manifest[],
  schemas: ConfigSchemas,
  sampleOf: SecretSamples,
): string[] {
  return workloads(manifests).flatMap(({ name, manifest, pod }) =>
    pod.containers.flatMap((container) => {
      const program = serviceOf(container);
      const schema = schemas[commandOf(manifest, `${program}`)];
      if (!program) return [];
      if (!schema) return [`${name}: nobody knows the settings of ${program}`];
      const parts = new Set(
        [...envOf(container).values()].flatMap(({ value = "" }) =>
          [...value.matchAll(/\$\((\w+)\)/g)].map(([, part]) => part),
        ),
      );
      const unknown = [...envOf(container).keys()].filter(
        (variable) => !(variable in schema.shape) && !parts.has(variable),
      );
      try {
        parseConfig(schema, resolvedEnv(container, manifests, sampleOf));
      } catch (error) {
        return [`${name}: ${(error as Error).message}`];
      }
      return unknown.map((variable) => `${name}: ${variable} is no setting of ${program}`);
    }),
  );
}

/** An image may hold more than one program. */
function commandOf({ kind, metadata }: Manifest, program: string): string {
  if (kind === "CronJob") return metadata.name;
  if (program === "installation") return kind === "Job" ? program : "stream-keeper";
  return kind === "Job" ? "migration" : program;
}

/** The environment as the kubelet makes it: `$(NAME)` takes a variable from above it. */
function resolvedEnv(
  container: Container,
  manifests: Manifest[],
  sampleOf: SecretSamples,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value !== undefined) {
      env[name] = value.replaceAll(/\$\((\w+)\)/g, (whole, part: string) => env[part] ?? whole);
      if (env[name].includes("$(")) throw new Error(`${name} takes a part that does not stand before it`);
    }
    if (valueFrom?.fieldRef) env[name] = valueFrom.fieldRef.fieldPath;
    if (valueFrom?.secretKeyRef) env[name] = sampleOf(valueFrom.secretKeyRef.key);
    if (valueFrom?.configMapKeyRef) {
      const { name: map, key } = valueFrom.configMapKeyRef;
      const data = ofKind(manifests, "ConfigMap").find(({ metadata }) => metadata.name === map)?.data;
      if (data?.[key] === undefined) throw new Error(`the ConfigMap ${map} has no ${key}`);
      env[name] = data[key];
    }
  }
  return env;
}

/**
 * Every connection to PostgreSQL, the bus and the identity provider is TLS, and the server's certificate is
 * checked, its name too; so are buyers' ways to the pages. In production nothing is excepted.
 */
export function connectionsAreEncrypted(
  manifests: Manifest[],
  { production }: { production: boolean },
): string[] {
  const settings = ofKind(manifests, "ConfigMap").flatMap(({ data }) => (data?.["NATS_URL"] ? [data] : []));
  const allowed = settings.map(({ ALLOW_PLAINTEXT = "" }) => ALLOW_PLAINTEXT).join();
  return [
    ...settings.flatMap((data) =>
      ["OPERATOR_JWKS", "STAFF_JWKS", "PUBLIC_URL"]
        .filter((name) => production && !data[name]?.startsWith("https://"))
        .map((name) => `${name} ${data[name]}: not https`),
    ),
    ...(production && allowed !== "" ? [`ALLOW_PLAINTEXT names ${allowed}`] : []),
    ...settings
      .map(({ NATS_URL = "" }) => NATS_URL)
      .filter((urls) => !urls.split(",").every((url) => url.startsWith("tls://")))
      .map((urls) => `NATS_URL ${urls}: not tls`),
    ...workloads(manifests).flatMap(({ name, pod }) =>
      pod.containers.flatMap(({ env = [] }) =>
        env
          .filter(({ value = "" }) => value.startsWith("postgres"))
          .filter(({ value = "" }) => !/[?&]sslmode=verify-full&sslrootcert=\/./.test(value))
          .map((variable) => `${name}: ${variable.name} does not check the server`),
      ),
    ),
  ];
}

/** No secret is in a manifest: each comes from a Secret, and no Secret is created here. */
export function secretsAreReferences(manifests: Manifest[]): string[] {
  return [
    ...ofKind(manifests, "Secret").map(({ metadata }) => `Secret ${metadata.name}: stands in the manifests`),
    ...workloads(manifests).flatMap(({ name, pod }) =>
      pod.containers.flatMap((container) =>
        (container.env ?? [])
          .filter((variable) => isSecret(variable.name) && !variable.valueFrom?.secretKeyRef)
          .map((variable) => `${name}: ${variable.name} is no reference to a Secret`),
      ),
    ),
    ...workloads(manifests).flatMap(({ name, pod }) =>
      pod.containers.flatMap((container) =>
        (container.env ?? [])
          .filter(({ value = "" }) => /:\/\/[^/@:]*:(?!\$\()[^/@]+@/.test(value))
          .map((variable) => `${name}: ${variable.name} has a password in it`),
      ),
    ),
  ];
}

function isSecret(name: string): boolean {
  return /(_PASSWORD|_KEYS?|_PEPPERS|_SECRET|_TOKEN)$/.test(name) || name.startsWith("NATS_PASSWORD");
}

/** External Secrets bring every key in use, and no other. */
export function externalSecretsBringEveryKey(manifests: Manifest[]): string[] {
  const brought = new Set<string>(
    ofKind(manifests, "ExternalSecret").flatMap(({ spec }) =>
      spec.data.map(({ secretKey }: { secretKey: string }) => `${spec.target.name}.${secretKey}`),
    ),
  );
  const used = new Set([...secretKeysOfPods(manifests), ...secretKeysOfOperators(manifests)]);
  return [
    ...[...used].filter((key) => !brought.has(key)).map((key) => `nothing brings ${key}`),
    ...[...brought].filter((key) => !used.has(key)).map((key) => `nobody uses ${key}`),
  ];
}

/** Keys without which a pod does not start. */
export function secretKeysOfPods(manifests: Manifest[]): string[] {
  return workloads(manifests).flatMap(({ pod }) =>
    pod.containers.flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef && !valueFrom.secretKeyRef.optional
          ? [`${valueFrom.secretKeyRef.name}.${valueFrom.secretKeyRef.key}`]
          : [],
      ),
    ),
  );
}

function secretKeysOfOperators(manifests: Manifest[]): string[] {
  return [
    // CloudNativePG creates the authority of its own PostgreSQL; for another PostgreSQL people have to supply
    // it.
    ...(ofKind(manifests, "Cluster").length === 0 ? ["managed-postgres-ca.ca.crt"] : []),
    ...ofKind(manifests, "Cluster").flatMap(({ spec }) =>
      ["username", "password"].map((key) => `${spec.superuserSecret.name}.${key}`),
    ),
    ...ofKind(manifests, "ObjectStore").flatMap(({ spec }) =>
      Object.values(spec.configuration.s3Credentials as Record<string, { name: string; key: string }>).map(
        ({ name, key }) => `${name}.${key}`,
      ),
    ),
  ];
}

/** Workloads that are part of another workload's program, and sign in with its user. */
const USER_OF: Readonly<Record<string, string>> = Object.fromEntries(
  EVENT_SOURCES.map((source) => [`reconcile-${source}`, source]),
);

/**
 * An identity for each workload: its own user of the bus with its password and certificate, and its own role
 * in the database, and no other workload's. The gateway's listeners share only an image.
 */
export function eachServiceHasItsBusUser(manifests: Manifest[], users: readonly string[]): string[] {
  const variables = users.flatMap(busLoginsOf).map(passwordOf);
  const [nats] = workloads(manifests, "StatefulSet");
  const given = new Set((nats?.pod.containers[0]?.env ?? []).map(({ name }) => name));
  const ofTheBus = workloads(manifests, "Deployment", "Job", "CronJob").filter(({ pod }) =>
    envOf(pod.containers[0]!).has("NATS_URL"),
  );
  return [
    ...variables.filter((name) => !given.has(name)).map((name) => `nats is not given ${name}`),
    ...ofTheBus.flatMap((workload) => busIdentityFaults(workload, users)),
    ...sharedRoles(workloads(manifests, "Deployment")),
  ];
}

function passwordOf(user: string): string {
  return `NATS_PASSWORD_${user.toUpperCase().replaceAll("-", "_")}`;
}

function busIdentityFaults({ name, pod, template }: Workload, users: readonly string[]): string[] {
  const own = template.metadata.labels["app.kubernetes.io/name"]!;
  const user = USER_OF[own] ?? own;
  const env = envOf(pod.containers[0]!);
  const secret = env.get("NATS_PASSWORD")?.valueFrom?.secretKeyRef?.key;
  const certificates = (pod.volumes ?? []).flatMap(({ secret: volume }) => volume?.secretName ?? []);
  const ofTheBus = certificates.filter((certificate) => certificate.startsWith("bus-client-"));
  return faultsOf(name, [
    [!users.includes(user), "nats-server does not know its user"],
    [env.get("NATS_USER")?.value !== user, "signs in as another"],
    [secret !== passwordOf(user), "has another's password"],
    [ofTheBus.join() !== `bus-client-${user}`, "has no certificate of its own, or another's"],
    [
      !["NATS_CA_FILE", "NATS_CERT_FILE", "NATS_KEY_FILE"].every((file) => env.has(file)),
      "TLS is not on both sides",
    ],
  ]);
}

/** Two workloads that sign in to the database as the same role, or with the same password. */
function sharedRoles(deployments: Workload[]): string[] {
  const taken = new Map<string, string>();
  return deployments.flatMap(({ name, pod }) => {
    const env = envOf(pod.containers[0]!);
    const role = /^postgres:\/\/([^:]+):/.exec(env.get("DATABASE_URL")?.value ?? "")?.[1];
    const password = env.get("DATABASE_PASSWORD")?.valueFrom?.secretKeyRef?.key;
    return [role, password].flatMap((identity) => {
      if (identity === undefined) return [];
      const other = taken.get(identity);
      taken.set(identity, name);
      return other === undefined ? [] : [`${name}: shares ${identity} with ${other}`];
    });
  });
}

/**
 * Secrets go only to their users: the operators' deployment can open no card, only payments has the fingerprint's key,
 * and so on.
 */
export function secretsGoWhereTheyAreNeeded(
  manifests: Manifest[],
  holders: Readonly<Record<string, readonly string[]>>,
): string[] {
  return workloads(manifests).flatMap(({ name, template, pod }) =>
    pod.containers.flatMap(({ env = [] }) =>
      env
        .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? [])
        .filter((key) => !(holders[key] ?? []).includes(template.metadata.labels["app.kubernetes.io/name"]!))
        .map((key) => `${name}: has ${key}`),
    ),
  );
}

const STAGES = ["platform", "installation", "migration", "service"];

/**
 * Every resource has a stage, and Jobs belong to stages before the Deployments' stage. Argo CD's waves have
 * the same order.
 */
export function stagesAreInOrder(manifests: Manifest[]): string[] {
  return manifests.flatMap(({ kind, metadata }) => {
    const name = `${kind} ${metadata.name}`;
    const stage = metadata.labels?.["holdfast.dev/stage"];
    const wave = Number(metadata.annotations?.["argocd.argoproj.io/sync-wave"] ?? 0);
    if (stage === undefined || !STAGES.includes(stage)) return [`${name}: is applied in no stage`];
    const expected = STAGES.indexOf(stage) - STAGES.indexOf("service");
    const isTooEarly = kind === "Deployment" && stage !== "service";
    const isTooLate = kind === "Job" && stage !== "installation" && stage !== "migration";
    return [
      ...(wave === expected ? [] : [`${name}: is of the stage ${stage} and of the wave ${wave}`]),
      ...(isTooEarly || isTooLate ? [`${name}: is of the stage ${stage}`] : []),
    ];
  });
}

/** A pod reads each entry of the ConfigMap `settings`: a misspelled name would be a setting that changes nothing. */
export function everySettingIsRead(manifests: Manifest[]): string[] {
  const read = new Set(
    workloads(manifests).flatMap(({ pod }) =>
      pod.containers.flatMap(({ env = [] }) =>
        env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef?.key ?? []),
      ),
    ),
  );
  return ofKind(manifests, "ConfigMap")
    .filter(({ metadata }) => metadata.labels?.["holdfast.dev/settings"] === "true")
    .flatMap(({ data = {} }) => Object.keys(data))
    .filter((name) => !read.has(name))
    .map((name) => `nobody reads the setting ${name}`);
}
