// The sandbox's own process with fake services in place of the real ones.
import { join } from "node:path";
import { runSandbox } from "../src/run-sandbox.ts";
import { serviceDefinitions } from "../src/service-definitions.ts";

const programs = {
  main: join(import.meta.dirname, "fake-service.ts"),
  migration: join(import.meta.dirname, "fake-migration.ts"),
};

await runSandbox(
  process.argv.slice(2),
  serviceDefinitions
    .filter(({ name }) => name === "api-gateway" || name === "gateway-operator" || name === "payments")
    .map((service) => ({ ...service, ...programs })),
);
