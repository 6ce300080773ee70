import { runService } from "@holdfast/service-runtime";
import { configSchema } from "./config.ts";
import { startApiGateway } from "./service.ts";

await runService({
  name: "api-gateway",
  config: configSchema,
  isEdge: true,
  start: startApiGateway,
});
