import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const composition = z.object({
  services: z.record(z.string(), z.object({ ports: z.array(z.string()).optional() })),
});

const repository = join(import.meta.dirname, "..", "..");
const read = (...path: string[]) => readFileSync(join(repository, ...path), "utf8");

/** The ports that each service publishes in docker-compose.yml. */
function published(): [service: string, port: string][] {
  const { services } = composition.parse(
    parse(read("docker-compose.yml"), { merge: true, maxAliasCount: 300 }),
  );
  return Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port): [string, string] => [name, port]),
  );
}

/** The variable that names the address at which each service's port is published. */
function publishedBy(): Record<string, string | undefined> {
  return Object.fromEntries(
    published().map(([name, port]) => [name, /^\$\{(\w+):-127\.0\.0\.1\}:/.exec(port)?.[1]]),
  );
}

test("opening the ports of merchants and buyers opens no other", () => {
  expect(publishedBy()).toEqual({
    "api-gateway": "BIND_ADDRESS",
    "gateway-public": "BIND_ADDRESS",
    "gateway-operator": "OPERATOR_BIND_ADDRESS",
    "gateway-staff": "STAFF_BIND_ADDRESS",
    console: "CONSOLE_BIND_ADDRESS",
    grafana: "OPERATOR_BIND_ADDRESS",
    "acquirer-simulator": "SIMULATOR_BIND_ADDRESS",
  });
});

test("docs/containers.md lists every published port but that of the profile", () => {
  const listed = [...read("docs", "containers.md").matchAll(/^\| (\d{4}) \|/gm)].map(([, port]) => port);
  const ports = published().flatMap(([name, port]) => (name === "grafana" ? [] : [port.split(":").at(-1)]));
  expect(listed).toEqual(ports.toSorted());
});

test("the plain text that docs/containers.md allows for another machine includes all that the ports need here", () => {
  const [, own = ""] = /GATEWAY_ALLOW_PLAINTEXT:-([\w,-]+)\}/.exec(read("docker-compose.yml"))!;
  const [, given = ""] = /`GATEWAY_ALLOW_PLAINTEXT=([\w,-]+)`/.exec(read("docs", "containers.md"))!;
  expect(given.split(",")).toEqual([...own.split(","), "public-url"]);
});
