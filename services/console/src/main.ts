import { runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startConsole } from "./service.ts";

await runService({ name: "console", config: configSchema, isEdge: true, start: startConsole });
