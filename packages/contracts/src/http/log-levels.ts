import { z } from "zod";
import { changedLogLevelSchema, LOG_LEVEL_SECONDS_MAX, loggingServiceSchema } from "../log-level.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { BODY_PROBLEMS, defineEndpoint } from "./endpoint.ts";

/** The duration of a change by default. */
export const LOG_LEVEL_SECONDS_DEFAULT = 900;

const replicaSchema = z
  .object({
    instance: z.string().meta({ description: "Host name (in Kubernetes that of the pod) and process id" }),
    level: z.string().meta({ description: "The lowest level that it logs now" }),
    until: z.iso.datetime().optional().meta({ description: "When its level is its setting again" }),
  })
  .meta({ id: "LogLevelReplica" });

const serviceLogLevelSchema = z
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

export const getLogLevels = defineEndpoint({
  operationId: "getLogLevels",
  listener: "operator",
  method: "GET",
  path: "/operator/log-level",
  role: "viewer",
  summary: "Show the log levels in force",
  description:
    "Asks every replica of every service for its log level. One that does not answer within a second is not listed. " +
    "The console is not on the bus and is not among the services.",
  responses: {
    200: {
      description: "Every service",
      body: z
        .object({
          items: z.array(serviceLogLevelSchema).meta({ description: "Every service that is on the bus" }),
        })
        .meta({ id: "ServiceLogLevelList" }),
    },
  },
  problems: ["forbidden"],
});

export const putLogLevel = defineEndpoint({
  operationId: "putLogLevel",
  listener: "operator",
  method: "PUT",
  path: "/operator/log-level",
  work: "write",
  role: "admin",
  summary: "Change the log level of a service for a time",
  description:
    "Every replica of the service logs more for at most an hour, one that starts meanwhile too (within 15 seconds), and " +
    "then what its `LOG_LEVEL` says. A change adds lines and never takes any away: a replica whose `LOG_LEVEL` logs " +
    "more than `level` stays as it is. The next change of the service replaces this one.",
  request: z
    .object({
      service: loggingServiceSchema,
      level: changedLogLevelSchema.nullable().meta({ description: "`null` ends a change before its time" }),
      seconds: wholeNumberSchema(
        1,
        LOG_LEVEL_SECONDS_MAX,
        `How long it lasts; defaults to ${LOG_LEVEL_SECONDS_DEFAULT}`,
      ).optional(),
    })
    .meta({ id: "PutLogLevelRequest" }),
  responses: {
    200: {
      description: "The change is written down and published; `replicas` says which follow it already",
      body: serviceLogLevelSchema,
    },
  },
  problems: [...BODY_PROBLEMS, "outcome_unknown", "forbidden"],
});

export const LOG_LEVEL_ENDPOINTS = [getLogLevels, putLogLevel];
