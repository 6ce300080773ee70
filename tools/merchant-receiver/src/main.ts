// Entry of `npm run receiver`.
import { runProgram } from "@holdfast/service-runtime/command-line";
import { runReceiver } from "./run-receiver.ts";

await runProgram("receiver", runReceiver, { trace: true });
