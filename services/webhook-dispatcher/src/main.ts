import { parseConfig, runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startWebhookDispatcher } from "./service.ts";

await runService("webhook-dispatcher", (log) =>
  startWebhookDispatcher(parseConfig(configSchema, process.env), log),
);
