import { runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startPayments } from "./service.ts";

await runService({
  name: "payments",
  config: configSchema,
  start: startPayments,
});
