// What processes are told: settings that they know and can start with, secrets by reference, users of the bus.
import { parseConfig } from "@holdfast/service-runtime";
import type { z } from "zod";
import { envOf, ofKind, serviceOf, workloads, type Container, type Manifest } from "../manifest.ts";

/** Of each program that an image holds: the schema of its environment. */
export type ConfigSchemas = Readonly<Record<string, z.ZodObject>>;

/** Stands for a secret's value where a setting's form is checked. */
export type SecretSamples = (key: string) => string;

/**
 * Each variable is one that the program knows, or a part of one; and with all of them the program starts: its own
 * schema takes them, the settings of the ConfigMap and samples of the secrets put in.
 */
export function programsStartWithTheirSettings(
  manifests: Manifest[],
  schemas: ConfigSchemas,
  sampleOf: SecretSamples,
): string[] {
  return workloads(manifests).flatMap(({ name, manifest, pod }) =>
    pod.containers.flatMap((container) => {
      const program = serviceOf(container.image);
      const schema = schemas[schemaNameOf(manifest.kind, `${program}`)];
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

/** An image may hold more than one program: a service's migration is run by a Job. */
function schemaNameOf(kind: string, program: string): string {
  if (program === "installation") return kind === "Job" ? program : "stream-keeper";
  return kind === "Job" ? "migration" : program;
}

/** The environment as the kubelet makes it: `$(NAME)` takes what stands before it. */
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

/** Every connection to PostgreSQL and to the bus is TLS, and the server's certificate is checked, its name too. */
export function connectionsAreEncrypted(manifests: Manifest[]): string[] {
  const bus = ofKind(manifests, "ConfigMap").flatMap(({ data }) => data?.["NATS_URL"] ?? []);
  return [
    ...bus
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

/** No secret stands in a manifest: what is one comes from a Secret, and no Secret is made here. */
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

/** External Secrets bring every key that is referred to, and none that nobody uses. */
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

export function secretKeysOfPods(manifests: Manifest[]): string[] {
  return workloads(manifests).flatMap(({ pod }) =>
    pod.containers.flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef ? [`${valueFrom.secretKeyRef.name}.${valueFrom.secretKeyRef.key}`] : [],
      ),
    ),
  );
}

function secretKeysOfOperators(manifests: Manifest[]): string[] {
  return [
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

/** One user of the bus for each service: its name, its password and its certificate, and none of another's. */
export function eachServiceHasItsBusUser(manifests: Manifest[], users: readonly string[]): string[] {
  const variables = users.map((user) => `NATS_PASSWORD_${user.toUpperCase().replaceAll("-", "_")}`);
  const [nats] = workloads(manifests, "StatefulSet");
  const given = new Set((nats?.pod.containers[0]?.env ?? []).map(({ name }) => name));
  return [
    ...variables.filter((name) => !given.has(name)).map((name) => `nats is not given ${name}`),
    ...workloads(manifests, "Deployment").flatMap(({ name, pod }) => {
      const [container] = pod.containers;
      const service = serviceOf(container!.image);
      if (!service || !users.includes(service)) return [];
      const env = envOf(container!);
      const secret = env.get("NATS_PASSWORD")?.valueFrom?.secretKeyRef?.key;
      const certificates = (pod.volumes ?? []).flatMap(({ secret: volume }) => volume?.secretName ?? []);
      return [
        ...(env.get("NATS_USER")?.value === service ? [] : [`${name}: signs in as another`]),
        ...(secret === variables[users.indexOf(service)] ? [] : [`${name}: has another's password`]),
        ...(certificates.includes(`bus-client-${service}`) ? [] : [`${name}: has no certificate of its own`]),
        ...(["NATS_CA_FILE", "NATS_CERT_FILE", "NATS_KEY_FILE"].every((file) => env.has(file))
          ? []
          : [`${name}: TLS is not on both sides`]),
      ];
    }),
  ];
}

/** The operators' deployment can open no card, and nobody but payments has the fingerprint's key, and so on. */
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
 * Every resource has a stage; Jobs are of the stages before the one in which Deployments are. Argo CD's waves have the
 * same order.
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
