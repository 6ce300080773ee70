// `npm run pack:client`: the file that `npm publish` takes, in .cache/client.
import { join } from "node:path";
import { packClient } from "./pack-client.ts";

const file = await packClient(join(import.meta.dirname, "..", "..", "..", ".cache", "client"));
process.stdout.write(`${file}\n`);
