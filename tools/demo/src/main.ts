// What `npm run demo` runs.
import { runDemo } from "./run-demo.ts";

await runDemo(process.argv.slice(2));
