// Resources of operators have no schema in Kubernetes, and their operators' definitions are not here. So each is held
// to a schema of the fields that our manifests use, written by hand from the operator's reference: a field that is
// misspelled or misplaced fails, one that the operator would refuse for another reason does not.
import { z } from "zod";
import { backendTlsPolicy, httpRoute, referenceGrant } from "./gateway-api-schemas.ts";

const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()).optional(),
});

function resource(apiVersion: string, kind: string, spec: z.ZodType) {
  return [
    `${apiVersion}/${kind}`,
    z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata, spec }),
  ] as const;
}

const named = z.strictObject({ name: z.string() });
const namedKey = z.strictObject({ name: z.string(), key: z.string() });
const quantity = z.string().regex(/^\d+(\.\d+)?(m|Ki|Mi|Gi|Ti)?$/);
const goDuration = z.string().regex(/^(\d+(h|m|s))+$/);
const size = z.strictObject({ size: quantity });

/** Parameters of the Barman Cloud plug-in: the object store, and the directory in it, by default the Cluster's name. */
const archive = z.strictObject({ barmanObjectName: z.string(), serverName: z.string().optional() });

/** https://cloudnative-pg.io/documentation/current/cloudnative-pg.v1/ */
const cluster = z.strictObject({
  instances: z.int().min(1),
  imageName: z.string(),
  priorityClassName: z.string(),
  enableSuperuserAccess: z.boolean(),
  superuserSecret: named,
  bootstrap: z.union([
    z.strictObject({
      initdb: z.strictObject({
        database: z.string(),
        owner: z.string(),
        encoding: z.string(),
        dataChecksums: z.boolean(),
      }),
    }),
    z.strictObject({
      recovery: z.strictObject({
        source: z.string(),
        recoveryTarget: z
          .strictObject({ targetTime: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/) })
          .optional(),
      }),
    }),
  ]),
  externalClusters: z
    .array(
      z.strictObject({ name: z.string(), plugin: z.strictObject({ name: z.string(), parameters: archive }) }),
    )
    .optional(),
  replica: z.strictObject({ enabled: z.boolean(), source: z.string() }).optional(),
  postgresql: z.strictObject({
    synchronous: z
      .strictObject({
        method: z.enum(["any", "first"]),
        number: z.int().min(1),
        dataDurability: z.enum(["required", "preferred"]),
        failoverQuorum: z.boolean().optional(),
      })
      .optional(),
    // The operator takes strings only.
    parameters: z.record(z.string(), z.string()),
  }),
  primaryUpdateStrategy: z.enum(["unsupervised", "supervised"]),
  primaryUpdateMethod: z.enum(["switchover", "restart"]),
  enablePDB: z.boolean(),
  affinity: z.strictObject({
    enablePodAntiAffinity: z.boolean(),
    podAntiAffinityType: z.enum(["preferred", "required"]),
    topologyKey: z.string(),
  }),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: z.int(),
      topologyKey: z.string(),
      whenUnsatisfiable: z.enum(["ScheduleAnyway", "DoNotSchedule"]),
      labelSelector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    }),
  ),
  imagePullSecrets: z.array(named).optional(),
  storage: size,
  walStorage: size.optional(),
  resources: z.strictObject({
    requests: z.record(z.string(), quantity),
    limits: z.record(z.string(), quantity),
  }),
  plugins: z
    .array(
      z.strictObject({
        name: z.string(),
        isWALArchiver: z.boolean(),
        parameters: z.record(z.string(), z.string()),
      }),
    )
    .optional(),
});

const scheduledBackup = z.strictObject({
  schedule: z.string().regex(/^(\S+ ){5}\S+$/),
  immediate: z.boolean(),
  backupOwnerReference: z.enum(["none", "self", "cluster"]),
  cluster: named,
  method: z.enum(["barmanObjectStore", "volumeSnapshot", "plugin"]),
  pluginConfiguration: named,
});

/** https://cloudnative-pg.io/plugin-barman-cloud/docs/plugin-barman-cloud.v1/ */
const packed = z.strictObject({
  compression: z.enum(["gzip", "snappy", "bzip2"]),
  encryption: z.enum(["AES256", "aws:kms"]),
});
const objectStore = z.strictObject({
  retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
  configuration: z.strictObject({
    destinationPath: z.string(),
    s3Credentials: z.strictObject({ accessKeyId: namedKey, secretAccessKey: namedKey }),
    wal: packed,
    data: packed,
  }),
});

/** https://external-secrets.io/latest/api/spec/ */
const externalSecret = z.strictObject({
  refreshInterval: goDuration,
  secretStoreRef: z.strictObject({ name: z.string(), kind: z.enum(["SecretStore", "ClusterSecretStore"]) }),
  target: z.strictObject({
    name: z.string(),
    creationPolicy: z.enum(["Owner", "Orphan", "Merge", "None"]),
    template: z.strictObject({ type: z.string() }).optional(),
  }),
  data: z.array(
    z.strictObject({
      secretKey: z.string(),
      remoteRef: z.strictObject({ key: z.string(), property: z.string() }),
    }),
  ),
});

/** https://cert-manager.io/docs/reference/api-docs/ */
const issuer = z.union([
  z.strictObject({ selfSigned: z.strictObject({}) }),
  z.strictObject({ ca: z.strictObject({ secretName: z.string() }) }),
]);
const certificate = z.strictObject({
  isCA: z.boolean().optional(),
  secretName: z.string(),
  commonName: z.string().max(64),
  privateKey: z.strictObject({
    algorithm: z.enum(["RSA", "ECDSA", "Ed25519"]),
    size: z.int(),
    rotationPolicy: z.enum(["Never", "Always"]).optional(),
  }),
  duration: goDuration,
  renewBefore: goDuration,
  usages: z.array(z.enum(["server auth", "client auth"])).optional(),
  dnsNames: z.array(z.string()).optional(),
  issuerRef: z.strictObject({ name: z.string(), kind: z.enum(["Issuer", "ClusterIssuer"]) }),
});

/** https://prometheus-operator.dev/docs/api-reference/api/ */
const podMonitor = z.strictObject({
  selector: z.strictObject({
    matchLabels: z.record(z.string(), z.string()).optional(),
    matchExpressions: z
      .array(z.strictObject({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()) }))
      .optional(),
  }),
  podTargetLabels: z.array(z.string()).optional(),
  podMetricsEndpoints: z.array(z.strictObject({ port: z.string(), path: z.string(), interval: goDuration })),
});
const prometheusRule = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.union([
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: goDuration.optional(),
            keep_firing_for: goDuration.optional(),
            labels: z.strictObject({ severity: z.enum(["page", "ticket"]) }),
            annotations: z.strictObject({ summary: z.string(), runbook_url: z.url() }),
          }),
          z.strictObject({
            record: z.string(),
            expr: z.string(),
            labels: z.record(z.string(), z.string()),
          }),
        ]),
      ),
    }),
  ),
});

/** The schemas by `<apiVersion>/<kind>`. */
export const customResourceSchemas: Record<string, z.ZodType> = Object.fromEntries([
  resource("postgresql.cnpg.io/v1", "Cluster", cluster),
  resource("postgresql.cnpg.io/v1", "ScheduledBackup", scheduledBackup),
  resource("barmancloud.cnpg.io/v1", "ObjectStore", objectStore),
  resource("external-secrets.io/v1", "ExternalSecret", externalSecret),
  resource("cert-manager.io/v1", "Issuer", issuer),
  resource("cert-manager.io/v1", "Certificate", certificate),
  resource("gateway.networking.k8s.io/v1", "HTTPRoute", httpRoute),
  resource("gateway.networking.k8s.io/v1", "BackendTLSPolicy", backendTlsPolicy),
  resource("gateway.networking.k8s.io/v1beta1", "ReferenceGrant", referenceGrant),
  resource("monitoring.coreos.com/v1", "PodMonitor", podMonitor),
  resource("monitoring.coreos.com/v1", "PrometheusRule", prometheusRule),
]);
