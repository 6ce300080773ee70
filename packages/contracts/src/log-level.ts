import { z } from "zod";
import type { BusUser } from "./messages/bus-users.ts";

/** The services whose log level can be changed at run time. The console is not on the bus and is left out. */
export const LOGGING_SERVICES = [
  "gateway-merchant",
  "gateway-operator",
  "gateway-public",
  "gateway-staff",
  "payments",
  "refunds",
  "webhook-dispatcher",
  "settlement",
] as const satisfies readonly BusUser[];
export type LoggingService = (typeof LOGGING_SERVICES)[number];

export const loggingServiceSchema = z
  .enum(LOGGING_SERVICES)
  .meta({ description: "The service, by its name on the bus" });

/**
 * The levels that a change can set. They leave out `warn` and `error`: a change may add lines, but an
 * attacker in a process that sends changes cannot silence other lines.
 */
export const CHANGED_LOG_LEVELS = ["debug", "info"] as const;

export const changedLogLevelSchema = z
  .enum(CHANGED_LOG_LEVELS)
  .meta({ description: "The lowest level that is logged" });
export type ChangedLogLevel = z.infer<typeof changedLogLevelSchema>;

/** The longest duration of a change. */
export const LOG_LEVEL_SECONDS_MAX = 3_600;
