import { z } from "zod";
import { changedLogLevelSchema, loggingServiceSchema } from "../log-level.ts";

/** The duration of a change by default. */
export const LOG_LEVEL_SECONDS_DEFAULT = 900;

const replicaSchema = z
  .object({
    instance: z.string().meta({ description: "Host name (in Kubernetes that of the pod) and process id" }),
    level: z.string().meta({ description: "The lowest level that it logs now" }),
    until: z.iso.datetime().optional().meta({ description: "When its level is its setting again" }),
  })
  .meta({ id: "LogLevelReplica" });

export const serviceLogLevelSchema = z
  .object({
    service: loggingServiceSchema,
    change: z
      .object({
        level: changedLogLevelSchema,
        until: z.iso.datetime().meta({ description: "When it ends (UTC)" }),
        changedBy: z.string().meta({ description: "Operator who made it: the `sub` of the token" }),
        changedAt: z.iso.datetime().meta({ description: "When it was made (UTC)" }),
      })
      .optional()
      .meta({ description: "The change in force; absent where every replica logs as `LOG_LEVEL` says" }),
    replicas: z
      .array(replicaSchema)
      .meta({ description: "Those that answered within a second, in the order of their names" }),
  })
  .meta({ id: "ServiceLogLevel" });

export type ServiceLogLevel = z.infer<typeof serviceLogLevelSchema>;
