import { parseConfig, runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startPayments } from "./service.ts";

await runService("payments", (log) => startPayments(parseConfig(configSchema, process.env), log));
