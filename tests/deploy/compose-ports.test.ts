import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const composition = z.object({
  services: z.record(z.string(), z.object({ ports: z.array(z.string()).optional() })),
});

/** The variable that names the address at which each service's port is published. */
function publishedBy(): Record<string, string | undefined> {
  const file = readFileSync(join(import.meta.dirname, "..", "..", "docker-compose.yml"), "utf8");
  const { services } = composition.parse(parse(file, { merge: true, maxAliasCount: 300 }));
  return Object.fromEntries(
    Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, /^\$\{(\w+):-127\.0\.0\.1\}:/.exec(port)?.[1]]),
    ),
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
