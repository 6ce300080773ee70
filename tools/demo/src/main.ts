// Entry of `npm run demo`.
import { runProgram } from "@holdfast/service-runtime/command-line";
import { runDemo } from "./run-demo.ts";

await runProgram("demo", runDemo, { trace: true });
