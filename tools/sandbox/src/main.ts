// Entry of `npm start`.
import { runProgram } from "@holdfast/service-runtime/command-line";
import { runSandbox } from "./run-sandbox.ts";
import { serviceDefinitions } from "./service-definitions.ts";

await runProgram("holdfast", (args) => runSandbox(args, serviceDefinitions), { trace: true });
