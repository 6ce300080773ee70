/** `npm run erase`: removes a merchant's customer from old rows. In the image of the installation it is `src/erase.ts`. */
import { runProgram } from "@holdfast/service-runtime";
import { erase } from "./erasure/erase-command.ts";

await runProgram("erase", erase);
