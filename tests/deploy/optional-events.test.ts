// Several services write and read the events that endpoints ask for: one line turns them on for all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { deployDir } from "./build-overlay.ts";
import { configSchemas } from "./service-facts.ts";

const writers = ["payments", "refunds", "settlement", "webhook-dispatcher"] as const;

test("these services, and no others, write them", () => {
  const withSetting = Object.entries(configSchemas).filter(
    ([, schema]) => schema instanceof z.ZodObject && "OPTIONAL_EVENTS" in schema.shape,
  );
  expect(withSetting.map(([name]) => name).toSorted()).toEqual(writers);
});

test("in compose each of them takes OPTIONAL_EVENTS from .env", () => {
  const composition = z.object({
    services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.unknown()).optional() })),
  });
  const file = readFileSync(join(deployDir, "..", "docker-compose.yml"), "utf8");
  const { services } = composition.parse(parse(file, { merge: true, maxAliasCount: 300 }));
  for (const name of writers) {
    expect(services[name]?.environment?.["OPTIONAL_EVENTS"], name).toBe("${OPTIONAL_EVENTS:-false}");
  }
});

const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({ env: z.array(z.object({ name: z.string(), valueFrom: z.unknown().optional() })) }),
        ]),
      }),
    }),
  }),
});

test.each(writers)("in Kubernetes %s takes it from the settings, where an overlay turns it on", (name) => {
  const file = readFileSync(join(deployDir, "k8s", "base", name, `${name}.yaml`), "utf8");
  const manifests = parseAllDocuments(file).map((document) => deployment.safeParse(document.toJS()));
  const [found] = manifests.flatMap(({ data }) => data ?? []);
  const variable = found!.spec.template.spec.containers[0].env.find(
    (each) => each.name === "OPTIONAL_EVENTS",
  );
  expect(variable?.valueFrom).toEqual({ configMapKeyRef: { name: "settings", key: "OPTIONAL_EVENTS" } });
});
