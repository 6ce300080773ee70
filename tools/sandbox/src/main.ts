// What `npm start` runs.
import { runSandbox } from "./run-sandbox.ts";
import { serviceDefinitions } from "./service-definitions.ts";

await runSandbox(process.argv.slice(2), serviceDefinitions);
