import { runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startSettlement } from "./service.ts";

await runService({
  name: "settlement",
  config: configSchema,
  start: startSettlement,
});
