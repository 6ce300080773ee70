// While an image is built: loads a program's modules without starting it, so that Node writes what it compiles to
// NODE_COMPILE_CACHE. `main.ts` is left out, because importing it is starting it.
import { existsSync } from "node:fs";

const modules = [
  "program/src/config.ts",
  "program/src/service.ts",
  "program/src/index.ts",
  // Loaded while a service starts, and only as much of it as the settings ask for.
  "node_modules/@holdfast/telemetry/src/start-metrics.ts",
  "node_modules/@holdfast/telemetry/src/start-sdk.ts",
];
for (const module of modules) {
  const file = new URL(module, `file://${process.cwd()}/`);
  if (existsSync(file)) await import(file);
}
