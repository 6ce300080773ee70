import { runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startWebhookDispatcher } from "./service.ts";

await runService({
  name: "webhook-dispatcher",
  config: configSchema,
  start: startWebhookDispatcher,
});
