// CloudNativePG's webhook refuses a Cluster whose image and parameters change together while a new primary is made by a
// switchover. A fresh installation never shows it, so the last release's image and parameters are kept beside this
// test.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { buildOverlay } from "./build-overlay.ts";
import { ofKind } from "./manifest.ts";

type Released = { imageName: string; parameters: Record<string, string> };

const file = join(import.meta.dirname, "released-postgres.yaml");

async function ofThisVersion(): Promise<Released> {
  const spec = ofKind(await buildOverlay("production"), "Cluster")[0]!.spec as ClusterSpec;
  // A restart in place would take both in one step, and costs an outage.
  expect(spec.primaryUpdateMethod).toBe("switchover");
  return { imageName: spec.imageName, parameters: spec.postgresql.parameters };
}
type ClusterSpec = {
  imageName: string;
  primaryUpdateMethod: string;
  postgresql: { parameters: Record<string, string> };
};

/** The parts that differ: image, parameters, or both. */
function changed(now: Released, released: Released): string[] {
  return (["imageName", "parameters"] as const).filter(
    (part) => stringify(now[part]) !== stringify(released[part]),
  );
}

test("PostgreSQL's image and its parameters do not change in one release", async () => {
  const now = await ofThisVersion();
  if (process.env["POSTGRES_RELEASED"] === "1") writeFileSync(file, stringify(now));
  const released = parse(readFileSync(file, "utf8")) as Released;
  expect(changed(now, released).length, "leave one of them for the next release").toBeLessThan(2);

  const otherImage = { ...released, imageName: "ghcr.io/cloudnative-pg/postgresql:19.0" };
  expect(changed(otherImage, released)).toEqual(["imageName"]);
  const both = { ...otherImage, parameters: { ...released.parameters, shared_buffers: "2GB" } };
  expect(changed(both, released)).toEqual(["imageName", "parameters"]);
});
