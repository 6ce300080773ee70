// `npm run pack:client`: the file that `npm publish` takes, in .cache/client.
import { join } from "node:path";
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";

const HELP = `npm run pack:client

Builds and packs the merchants' client in .cache/client, and prints the file's name.
`;

await runProgram(
  "pack:client",
  async (args) => {
    if (!readCommandLine(args, { help: HELP, options: {} })) return;
    const { packClient } = await import(
      new URL("../packages/client/scripts/pack-client.ts", import.meta.url).href
    );
    const file = await packClient(join(import.meta.dirname, "..", ".cache", "client"));
    process.stdout.write(`${file}\n`);
  },
  { trace: true },
);
