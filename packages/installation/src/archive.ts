/** `npm run archive`: moves a month's ended payments out of the database, or back. In the image of the installation it is `src/archive.ts`. */
import { runProgram } from "@holdfast/service-runtime";
import { archive } from "./archive/archive-command.ts";

await runProgram("archive", archive);
