// The sandbox's own process with fake services in place of the real ones.
import { join } from "node:path";
import { bundle } from "@holdfast/bundle";
import { runProgram } from "@holdfast/service-runtime/command-line";
import { runSandbox } from "../src/run-sandbox.ts";
import { serviceDefinitions } from "../src/service-definitions.ts";

const services = serviceDefinitions.filter(({ name }) =>
  ["api-gateway", "gateway-operator", "payments"].includes(name),
);
const programs = async () => ({
  ...(await bundle()),
  holdfast: join(import.meta.dirname, "fake-holdfast.ts"),
});
await runProgram("holdfast", (args) => runSandbox(args, services, programs), { trace: true });
