// While an image is built: loads a program's modules without starting it, so that Node writes what it compiles to
// NODE_COMPILE_CACHE. `main.ts` is left out, because importing it is starting it.
import { existsSync } from "node:fs";

for (const module of ["config.ts", "service.ts", "index.ts"]) {
  const file = new URL(`program/src/${module}`, `file://${process.cwd()}/`);
  if (existsSync(file)) await import(file);
}
