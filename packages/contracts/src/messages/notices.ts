import { z } from "zod";
import {
  changedLogLevelSchema,
  LOG_LEVEL_SECONDS_MAX,
  LOGGING_SERVICES,
  loggingServiceSchema,
} from "../log-level.ts";
import type { BusUser } from "./bus-users.ts";

/**
 * A message from one process to others. A notice is a hint that makes a process act sooner. It has no answer
 * and can be lost, and its effect must come about without it, too.
 */
export type Notice<Payload extends z.ZodType = z.ZodType> = {
  publishers: readonly BusUser[];
  listeners: readonly BusUser[];
  subject: string;
  payload: Payload;
};

/**
 * A credential was revoked or a merchant has changed: merchant APIs read that merchant's credentials again. Without it
 * they do so when their cached ones are too old.
 */
export const credentialsChanged = {
  publishers: ["gateway-operator"],
  listeners: ["gateway-merchant"],
  subject: "gateway.credentials.changed",
  payload: z.object({ merchantId: z.uuid() }),
} as const satisfies Notice;

/**
 * A bank's notification names a refund: refunds asks about it sooner. Without it, it does so by its schedule.
 */
export const refundNotified = {
  publishers: ["payments"],
  listeners: ["refunds"],
  subject: "payments.refund.notified",
  payload: z.object({ refundId: z.uuid() }),
} as const satisfies Notice;

const endsInMsSchema = z
  .int()
  .min(1)
  .max(LOG_LEVEL_SECONDS_MAX * 1_000);

/**
 * The log level of a service was changed for a time, or, with `null`, is its setting again. Every replica
 * listens. The notice is repeated while the change lasts, so that a replica that starts meanwhile, or missed
 * it, follows.
 */
export const logLevelChanged = {
  publishers: ["gateway-operator"],
  listeners: LOGGING_SERVICES,
  subject: "gateway.log-level.changed",
  payload: z.object({
    service: loggingServiceSchema,
    level: changedLogLevelSchema.nullable(),
    endsInMs: endsInMsSchema,
  }),
} as const satisfies Notice;

/** Asks every replica for a `logLevelReported`. Without the answer of one, the list of replicas is shorter. */
export const logLevelAsked = {
  publishers: ["gateway-operator"],
  listeners: LOGGING_SERVICES,
  subject: "gateway.log-level.asked",
  payload: z.object({ questionId: z.uuid() }),
} as const satisfies Notice;

/**
 * One replica's log level. It has a subject of its own, so that no service may publish to the operator API's inboxes
 * for it.
 */
export const logLevelReported = {
  publishers: LOGGING_SERVICES,
  listeners: ["gateway-operator"],
  subject: "gateway.log-level.reported",
  payload: z.object({
    questionId: z.uuid(),
    service: loggingServiceSchema,
    /** The replica's host name (in Kubernetes the pod's) and its process id. */
    instance: z.string().max(300),
    level: z.enum(["trace", "debug", "info", "warn", "error"]),
    /** The time left of a temporary change of this level. */
    endsInMs: endsInMsSchema.optional(),
  }),
} as const satisfies Notice;

/** Every notice of the bus. */
export const NOTICES: readonly Notice[] = [
  credentialsChanged,
  refundNotified,
  logLevelChanged,
  logLevelAsked,
  logLevelReported,
];
