// Two installations in one cluster: the second is the overlay that docs/kubernetes.md shows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildBeside, buildOverlay, deployDir } from "./build-overlay.ts";
import { ofKind, type Manifest } from "./manifest.ts";
import { validateManifest } from "./validate-manifest.ts";

const page = readFileSync(join(deployDir, "..", "docs", "kubernetes.md"), "utf8");
const [, overlay = ""] = /## A second installation\n[^]*?```yaml\n([^]*?)```/.exec(page)!;
const first = await buildOverlay("production");
const second = await buildBeside(overlay);

const SHARED = "PriorityClass";
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

test("the second has every object of the first, in a namespace of its own, and shares the PriorityClasses alone", () => {
  const renamed = first.map((one) =>
    nameOf(one).replace(/ holdfast\/|(?<=^Namespace \/)holdfast$/, (name) =>
      name.replace("holdfast", "holdfast-two"),
    ),
  );
  expect(second.map(nameOf).toSorted()).toEqual(renamed.toSorted());
  const both = second.map(nameOf).filter((name) => first.map(nameOf).includes(name));
  expect(new Set(both.map((name) => name.split(" ")[0]))).toEqual(new Set([SHARED]));
  expect(ofKind(second, SHARED)).toEqual(ofKind(first, SHARED));
});

test("nothing in it names the first one's namespace, but the rules of Prometheus, in their expressions", () => {
  const naming = second.filter((one) =>
    /["./]holdfast(?:\.svc|\/ingress-client|")/.test(
      JSON.stringify(one).replaceAll(
        /"(?:name|database|owner|dbname|app.kubernetes.io\/part-of)":"holdfast"/g,
        "",
      ),
    ),
  );
  expect(naming.map(nameOf)).toEqual([]);
  const served = ofKind(second, "Certificate").flatMap(({ spec }) => (spec.dnsNames ?? []) as string[]);
  expect(served).toContain("gateway-merchant.holdfast-two.svc");
  expect(served.filter((name) => /\.holdfast(?:\.|$)/.test(name))).toEqual([]);
});

test("its back-ups go to another place, and every object is valid", async () => {
  const placeOf = (manifests: Manifest[]) =>
    ofKind(manifests, "ObjectStore")[0]!.spec.configuration.destinationPath;
  expect(placeOf(second)).not.toBe(placeOf(first));
  expect((await Promise.all(second.map((one) => validateManifest(one)))).flat()).toEqual([]);
});
