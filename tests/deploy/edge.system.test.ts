// The way in from outside: the Gateway of docs/kubernetes.md fits the routes, and ingress-nginx can take their place.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { buildOverlay, deployDir } from "./build-overlay.ts";
import { gateway } from "./gateway-api-schemas.ts";
import { ofKind, type Manifest } from "./manifest.ts";
import * as network from "./policies/network.ts";
import * as tls from "./policies/tls.ts";
import { validateManifest } from "./validate-manifest.ts";

const page = readFileSync(join(deployDir, "..", "docs", "kubernetes.md"), "utf8");
const section = page.split("\n## The way in\n")[1]!.split("\n## ")[0]!;
const documented = parse(/```yaml\n([^]*?)```/.exec(section)![1]!) as Manifest;

const production = await buildOverlay("production");
const nginx = await buildOverlay("production", ["ingress-nginx"]);

describe("the page's Gateway", () => {
  const { listeners } = gateway.parse(documented.spec);
  const secured = listeners.filter(({ protocol }) => protocol === "HTTPS");

  test("has a listener with TLS for each route, and lets its namespace in", () => {
    const routes = ofKind(production, "HTTPRoute");
    expect(secured).toHaveLength(routes.length);
    for (const { metadata, spec } of routes) {
      const [parent] = spec.parentRefs;
      expect([parent.namespace, parent.name]).toEqual([
        documented.metadata.namespace,
        documented.metadata.name,
      ]);
      const listener = secured.find(({ name }) => name === parent.sectionName);
      expect(spec.hostnames).toEqual([listener?.hostname]);
      expect(listener?.allowedRoutes.namespaces.selector?.matchLabels).toEqual({
        "kubernetes.io/metadata.name": metadata.namespace,
      });
    }
  });

  test("reads the certificates of the hosts, and may read no other Secret", () => {
    const [grant] = ofKind(production, "ReferenceGrant");
    expect(grant!.spec.from).toEqual([
      { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: documented.metadata.namespace },
    ]);
    const read = secured.flatMap(({ tls: served }) => served?.certificateRefs ?? []);
    expect(grant!.spec.to).toEqual(read.map(({ name }) => ({ group: "", kind: "Secret", name })));
    expect(new Set(read.map(({ namespace }) => namespace))).toEqual(new Set([grant!.metadata.namespace]));
    for (const { hostname, tls: served } of secured) {
      const certificate = ofKind(production, "Certificate").find(
        ({ spec }) => spec.secretName === served?.certificateRefs[0]?.name,
      );
      expect(certificate?.spec.dnsNames).toEqual([hostname]);
    }
  });
});

test("the page makes the ConfigMap by which the edge checks the pods", () => {
  const authorities = ofKind(production, "BackendTLSPolicy").flatMap(({ spec }) =>
    spec.validation.caCertificateRefs.map(({ name }: { name: string }) => name),
  );
  expect(new Set(authorities)).toEqual(new Set(["gateway-ca"]));
  expect(section).toContain("get secret gateway-ca -o jsonpath='{.data.ca\\.crt}'");
  expect(section).toContain("create configmap gateway-ca --from-file=ca.crt");
});

test("a field that Gateway API does not have is refused", async () => {
  const [route] = structuredClone(ofKind(production, "HTTPRoute"));
  route!.spec.rules[0].timeouts = { response: "30s" };
  expect(await validateManifest(route!)).toHaveLength(1);
});

const named = (manifests: Manifest[]) =>
  new Set(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
/** The policies' faults about incoming connections. */
const faults = (manifests: Manifest[]) => [
  ...network.onlyMerchantsAndCardholdersComeIn(manifests),
  ...network.certificatesCanBeIssued(manifests),
  ...tls.listenersHaveTls(manifests, { production: true }),
];

test("ingress-nginx takes the place of the routes, and of nothing else", async () => {
  expect((await Promise.all(nginx.map((one) => validateManifest(one)))).flat()).toEqual([]);
  expect([...named(production).difference(named(nginx))].toSorted()).toEqual([
    "BackendTLSPolicy gateway-merchant",
    "BackendTLSPolicy gateway-public",
    "Certificate merchant-api-tls",
    "Certificate public-pages-tls",
    "HTTPRoute merchant-api",
    "HTTPRoute public-pages",
    "ReferenceGrant public-certificates",
  ]);
  expect([...named(nginx).difference(named(production))].toSorted()).toEqual([
    "Certificate ingress-client",
    "Ingress merchant-api",
    "Ingress public-pages",
  ]);
  expect(faults(nginx)).toEqual([]);
});

const ingressOf = (manifests: Manifest[], name: string) =>
  ofKind(manifests, "Ingress").find(({ metadata }) => metadata.name === name)!;

test.each<[string, (manifests: Manifest[]) => void]>([
  [
    "for operators",
    (all) =>
      void (ingressOf(all, "merchant-api").spec.rules[0].http.paths[0].backend.service.name =
        "gateway-operator"),
  ],
  ["without TLS", (all) => void delete ingressOf(all, "merchant-api").spec.tls],
  [
    "with plain HTTP to the pods",
    (all) =>
      void delete ingressOf(all, "merchant-api").metadata.annotations![
        "nginx.ingress.kubernetes.io/backend-protocol"
      ],
  ],
  [
    "that does not check the pods",
    (all) =>
      void (ingressOf(all, "public-pages").metadata.annotations![
        "nginx.ingress.kubernetes.io/proxy-ssl-verify"
      ] = "off"),
  ],
])("an Ingress %s is refused", (_, breakIt) => {
  const manifests = structuredClone(nginx);
  breakIt(manifests);
  expect(faults(manifests)).not.toEqual([]);
});
