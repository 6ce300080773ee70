// The advice of docs/kubernetes.md for narrowing PostgreSQL's ways out, put into an overlay.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { buildBeside, deployDir } from "./build-overlay.ts";
import { ofKind, selects, type Manifest, type Selector } from "./manifest.ts";

let narrowed: Manifest[];
beforeAll(async () => {
  const text = readFileSync(join(deployDir, "..", "docs", "kubernetes.md"), "utf8");
  const section = text.split("\n## Where PostgreSQL may go\n")[1]!.split("\n## ")[0]!;
  const patches = /```yaml\n([^]*?)```/.exec(section)![1]!;
  narrowed = await buildBeside(
    `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../production]\n${patches}`,
  );
});

type Egress = { to: { ipBlock?: { cidr: string }; podSelector?: Selector }[]; ports: { port: number }[] };

/** Peers of PostgreSQL's pods outside of the namespace: `10.0.0.10/32:6443`. */
function waysOut(manifests: Manifest[]): string[] {
  const own = { "cnpg.io/cluster": "postgres" };
  return ofKind(manifests, "NetworkPolicy")
    .filter(({ metadata, spec }) => metadata.name !== "names" && selects(spec.podSelector, own))
    .flatMap(({ spec }) => (spec.egress ?? []) as Egress[])
    .flatMap(({ to, ports }) =>
      to.flatMap(({ ipBlock }) => (ipBlock ? ports.map(({ port }) => `${ipBlock.cidr}:${port}`) : [])),
    );
}

test("PostgreSQL goes to the API server and the object store that an overlay names, and nowhere else", () => {
  expect(waysOut(narrowed)).toEqual(["10.0.0.10/32:6443", "203.0.113.0/24:443"]);
});

test("a policy beside them that lets it out again is seen", () => {
  const holed = structuredClone(narrowed);
  const policy = ofKind(holed, "NetworkPolicy").find(({ metadata }) => metadata.name === "postgres")!;
  policy.spec.egress.push({ to: [{ ipBlock: { cidr: "0.0.0.0/0" } }], ports: [{ port: 443 }] });
  expect(waysOut(holed)).toContain("0.0.0.0/0:443");
});
