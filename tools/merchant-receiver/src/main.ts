// What `npm run receiver` runs.
import { runReceiver } from "./run-receiver.ts";

await runReceiver(process.argv.slice(2));
