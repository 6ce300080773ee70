import { runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startRefunds } from "./service.ts";

await runService({
  name: "refunds",
  config: configSchema,
  start: startRefunds,
});
