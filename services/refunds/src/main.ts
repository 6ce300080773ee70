import { parseConfig, runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startRefunds } from "./service.ts";

await runService("refunds", (log) => startRefunds(parseConfig(configSchema, process.env), log));
