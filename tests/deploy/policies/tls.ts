// TLS of the servers: the gateway's listeners, the edge before them, and nats-server.
import { envOf, ofKind, workloads, type Manifest, type PodSpec } from "../manifest.ts";
import { faultsOf } from "./pods.ts";

const LISTENERS = {
  MERCHANT_API_PORT: "merchant-api",
  OPERATOR_API_PORT: "operator-api",
  STAFF_API_PORT: "staff-api",
  PUBLIC_PAGES_PORT: "public-pages",
} as const;

/**
 * Each listener of the gateway has a certificate of its own from cert-manager, for the name of its Service.
 * In development all listeners except the operators' may explicitly do without. The edge uses TLS to the
 * listener and verifies it.
 */
export function listenersHaveTls(manifests: Manifest[], { production }: { production: boolean }): string[] {
  const settings = ofKind(manifests, "ConfigMap").find(({ data }) => data?.["NATS_URL"])?.data;
  const allowed = new Set(settings?.["ALLOW_PLAINTEXT"]?.split(","));
  return [
    ...workloads(manifests, "Deployment").flatMap(({ name, manifest, pod }) => {
      const env = envOf(pod.containers[0]!);
      const listeners = Object.entries(LISTENERS).filter(([port]) => env.has(port));
      if (listeners.length === 0) return [];
      if (!production && listeners.every(([, one]) => one !== "operator-api" && allowed.has(one))) return [];
      return faultsOf(name, [
        [!env.has("TLS_CERT_FILE") || !env.has("TLS_KEY_FILE"), "a listener without TLS"],
        [!mountsCertificateFor(manifests, manifest.metadata.name, pod), "no certificate for its Service"],
      ]);
    }),
    ...routesCheckTheirPods(manifests),
    ...ofKind(manifests, "Ingress").flatMap(({ metadata, spec }) => {
      const backend: string = spec.rules[0].http.paths[0].backend.service.name;
      const nginx = (key: string) => metadata.annotations?.[`nginx.ingress.kubernetes.io/${key}`];
      return faultsOf(`Ingress ${metadata.name}`, [
        [nginx("backend-protocol") !== "HTTPS", "does not speak TLS to the pods"],
        [
          nginx("proxy-ssl-verify") !== "on" || !nginx("proxy-ssl-name")?.startsWith(`${backend}.`),
          "does not check the pods' certificates",
        ],
      ]);
    }),
  ];
}

type Route = { rules: { backendRefs: { name: string }[] }[] };
type BackendTls = {
  targetRefs: { kind: string; name: string }[];
  validation: { hostname: string; caCertificateRefs: { kind: string }[] };
};

/** Each Service that a route leads to is reached by TLS alone, under its name and an authority that all edges read. */
function routesCheckTheirPods(manifests: Manifest[]): string[] {
  const policies = ofKind(manifests, "BackendTLSPolicy").map(({ spec }) => spec as BackendTls);
  return ofKind(manifests, "HTTPRoute").flatMap(({ metadata, spec }) =>
    (spec as Route).rules
      .flatMap(({ backendRefs }) => backendRefs)
      .flatMap(({ name }) => {
        const own = policies.find(({ targetRefs }) =>
          targetRefs.some((target) => target.kind === "Service" && target.name === name),
        );
        return faultsOf(`HTTPRoute ${metadata.name}`, [
          [own === undefined, "has an edge that does not use TLS to the pods"],
          [
            own !== undefined && !own.validation.hostname.startsWith(`${name}.`),
            "has an edge that asks the pods for another name",
          ],
          // A Secret is read by some implementations only.
          [
            own?.validation.caCertificateRefs.some(({ kind }) => kind !== "ConfigMap") ?? false,
            "has an authority that not every edge reads",
          ],
        ]);
      }),
  );
}

/**
 * nats-server learns of renewed certificates: a container beside it watches each file that it serves, and signals it.
 */
export function busServesRenewedCertificates(manifests: Manifest[], natsConfig: string): string[] {
  const served = new Set(natsConfig.match(/\/etc\/nats\/[\w-]+\/[\w.]+\.(crt|key)/g));
  const nats = workloads(manifests, "StatefulSet").find(({ manifest }) => manifest.metadata.name === "nats");
  const reloader = nats?.pod.initContainers?.find(({ name }) => name === "certificate-reloader");
  return faultsOf("StatefulSet nats", [
    [reloader?.restartPolicy !== "Always", "nobody watches its certificates"],
    [nats?.pod.shareProcessNamespace !== true, "what watches its certificates cannot signal it"],
    [served.size === 0, "serves no certificate"],
    ...[...served].map((file): [boolean, string] => [
      !reloader?.args?.includes(file),
      `nobody watches ${file}`,
    ]),
  ]);
}

function mountsCertificateFor(manifests: Manifest[], service: string, pod: PodSpec): boolean {
  const secrets = new Set((pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []));
  return ofKind(manifests, "Certificate").some(
    ({ spec }) =>
      secrets.has(spec.secretName as string) && spec.dnsNames?.includes(`${service}.holdfast.svc`),
  );
}
