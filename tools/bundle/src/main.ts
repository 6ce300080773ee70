// Builds the bundles into a folder, for an image: `node tools/bundle/src/main.ts FOLDER`.
import { join, resolve } from "node:path";
import { buildBundle } from "./build-bundle.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("bundle: name the folder to build in\n");
  process.exitCode = 2;
} else await buildBundle(join(import.meta.dirname, "..", "..", ".."), resolve(folder));
