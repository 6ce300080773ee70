import { join } from "node:path";

/** Where the code of this repository lies. */
export const repositoryRoot = join(import.meta.dirname, "..", "..", "..");
