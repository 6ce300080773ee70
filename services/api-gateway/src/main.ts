import { parseConfig, runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startApiGateway } from "./service.ts";

await runService("api-gateway", (log) => startApiGateway(parseConfig(configSchema, process.env), log));
