// Fields by which an API server, cert-manager and the Job controller would otherwise do something else than is meant.
import { expect, test } from "vitest";
import { buildOverlay } from "./build-overlay.ts";
import { envOf, ofKind, workloads } from "./manifest.ts";

const production = await buildOverlay("production");

test("fields that the API server adds stand in what is applied, so that applying it twice is no conflict", () => {
  const fieldRefs = workloads(production).flatMap(({ pod }) =>
    [...(pod.initContainers ?? []), ...pod.containers].flatMap((container) =>
      [...envOf(container).values()].flatMap(({ valueFrom }) => valueFrom?.fieldRef ?? []),
    ),
  );
  expect(fieldRefs.length).toBeGreaterThan(10);
  expect(fieldRefs.filter((ref) => !("apiVersion" in ref))).toEqual([]);
  const [nats] = ofKind(production, "StatefulSet");
  expect(nats!.spec.volumeClaimTemplates).toEqual([
    expect.objectContaining({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      spec: expect.objectContaining({ volumeMode: "Filesystem" }),
    }),
  ]);
});

test("an authority that is issued again keeps its key, and every other certificate gets a new one", () => {
  const certificates = ofKind(production, "Certificate");
  expect(certificates.filter(({ spec }) => spec.isCA)).toHaveLength(3);
  for (const { metadata, spec } of certificates)
    expect([metadata.name, spec.privateKey.rotationPolicy]).toEqual([
      metadata.name,
      spec.isCA ? "Never" : "Always",
    ]);
});

test("a Job that no other try can mend fails at once", () => {
  for (const { metadata, spec } of ofKind(production, "Job"))
    expect([metadata.name, spec.podFailurePolicy]).toEqual([
      metadata.name,
      { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [2] } }] },
    ]);
});

test("the namespace is not deleted unless somebody has meant it", () => {
  const [policy] = ofKind(production, "ValidatingAdmissionPolicy");
  const [binding] = ofKind(production, "ValidatingAdmissionPolicyBinding");
  expect(binding!.spec).toEqual({ policyName: policy!.metadata.name, validationActions: ["Deny"] });
  const labels = policy!.spec.matchConstraints.objectSelector.matchLabels as Record<string, string>;
  expect(ofKind(production, "Namespace")[0]!.metadata.labels).toMatchObject(labels);
});

test("pods trust a managed database's authority by a Secret that no Cluster makes", async () => {
  const managed = await buildOverlay("production-managed-postgres");
  const names = workloads(managed).flatMap(({ pod }) =>
    (pod.volumes ?? []).flatMap((volume) =>
      "name" in volume && volume.name === "postgres-ca" ? [JSON.stringify(volume)] : [],
    ),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((volume) => !volume.includes('"secretName":"managed-postgres-ca"'))).toEqual([]);
});
