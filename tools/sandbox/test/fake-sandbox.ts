// The sandbox's own process with fake services in place of the real ones.
import { join } from "node:path";
import { runProgram } from "@holdfast/service-runtime/command-line";
import { runSandbox } from "../src/run-sandbox.ts";
import { serviceDefinitions } from "../src/service-definitions.ts";

const programs = {
  main: join(import.meta.dirname, "fake-service.ts"),
  migration: join(import.meta.dirname, "fake-migration.ts"),
};

const services = serviceDefinitions
  .filter(({ name }) => name === "api-gateway" || name === "gateway-operator" || name === "payments")
  .map((service) => ({ ...service, ...programs }));
await runProgram("holdfast", (args) => runSandbox(args, services), { trace: true });
