// Every setting is read, in a service's schema and in docker-compose.yml. The manifests' are in
// kubernetes.system.test.ts.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { deployDir } from "./build-overlay.ts";
import { serviceOf } from "./manifest.ts";
import { lacksBanksTime } from "./policies/banks-time.ts";
import { configSchemas } from "./service-facts.ts";

const repository = join(deployDir, "..");
const SERVICES = ["api-gateway", "console", "payments", "refunds", "settlement", "webhook-dispatcher"];

function sourcesOf(...patterns: string[]): string {
  return globSync(patterns, { cwd: repository })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(repository, file), "utf8"))
    .join("\n");
}

const packages = sourcesOf("packages/*/src/**/*.ts");

/** The settings that the sources describe and never take: as `config.NAME`, out of an object, or by name as a text. */
function unreadSettings(names: string[], sources: string): string[] {
  return names.filter(
    (name) =>
      !new RegExp(String.raw`\.${name}\b|"${name}"|\b${name}(: [a-zA-Z]\w*)?( = [^,}]+)?\s*[,}]`).test(
        sources,
      ),
  );
}

test.each(SERVICES)("%s reads each of its settings", (service) => {
  // OpenTelemetry's SDK reads settings that begin with OTEL_ from the environment itself.
  const names = Object.keys(configSchemas[service]!.shape).filter((name) => !name.startsWith("OTEL_"));
  expect(names.length).toBeGreaterThan(20);
  expect(unreadSettings(names, sourcesOf(`services/${service}/src/**/*.ts`) + packages)).toEqual([]);
});

test("a setting that nobody reads is refused", () => {
  const described =
    'export const configSchema = z.object({\n  BATCH_MAX: wholeNumberSchema().describe("…"),\n});\n';
  expect(unreadSettings(["BATCH_MAX"], described)).toEqual(["BATCH_MAX"]);
  for (const use of ["config.BATCH_MAX", "const { BATCH_MAX: most } = config", '{ setting: "BATCH_MAX" }']) {
    expect(unreadSettings(["BATCH_MAX"], `${described}${use}`)).toEqual([]);
  }
});

type Service = { image: string; command?: string[]; environment?: Record<string, unknown> };

/** Variables of the image, for its HEALTHCHECK. */
const OF_THE_IMAGE = new Set(["HEALTH_PORT", "HEALTH_PATH"]);

/** Variables that docker-compose.yml gives a service and its program does not know, and the bank's time where it is not given. */
function wrongVariables(services: Record<string, Service>): string[] {
  return Object.entries(services).flatMap(([name, { image, command, environment = {} }]) => {
    const args = command ?? [];
    const program = serviceOf({ image: image.replace(/\$\{\w+:-([^}]+)\}$/, "$1"), args });
    if (program === undefined) return [];
    const [run = ""] = args;
    const schema =
      configSchemas[run === "migrate" ? "migration" : run === "keep-stream" ? "stream-keeper" : program]!;
    const lacking = lacksBanksTime(schema, Object.keys(environment))
      ? [`${name}: lacks ACQUIRER_TIMEOUT`]
      : [];
    const unknown = Object.keys(environment)
      .filter((variable) => !(variable in schema.shape) && !OF_THE_IMAGE.has(variable))
      .map((variable) => `${name}: ${variable} is no setting of ${program}`);
    return [...lacking, ...unknown];
  });
}

function servicesOf(file: string): Record<string, Service> {
  const text = readFileSync(join(repository, file), "utf8");
  return (parse(text, { merge: true, maxAliasCount: 300 }) as { services: Record<string, Service> }).services;
}

test.each([
  ["docker-compose.yml", 9],
  ["deploy/single/compose.yml", 2],
])("what runs on one machine waits 5 s for a connection to its database: %s", (file, running) => {
  const programs = Object.values(servicesOf(file)).filter(({ command }) => command?.[0] === "run");
  const waits = programs.map(({ environment }) => environment?.["DATABASE_CONNECTION_TIMEOUT"]);
  expect(waits).toEqual(Array.from({ length: running }, () => "${DATABASE_CONNECTION_TIMEOUT:-5s}"));
});

test("docker-compose.yml sets what its programs read", () => {
  const services = servicesOf("docker-compose.yml");
  expect(wrongVariables(services)).toEqual([]);
  services["payments"]!.environment!["LOG_LEVLE"] = "debug";
  delete services["console"]!.environment!["ACQUIRER_TIMEOUT"];
  expect(wrongVariables(services)).toEqual([
    "payments: LOG_LEVLE is no setting of payments",
    "console: lacks ACQUIRER_TIMEOUT",
  ]);
});
