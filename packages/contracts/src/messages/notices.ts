import { z } from "zod";
import type { BusUser } from "./bus-users.ts";

/**
 * What one process tells others. A notice is a hint that makes something act sooner: nobody answers it, it can
 * be lost, and what it is about must come true without it.
 */
export type Notice<Payload extends z.ZodType = z.ZodType> = {
  publishers: readonly BusUser[];
  listeners: readonly BusUser[];
  subject: string;
  payload: Payload;
};

/**
 * A credential was revoked or a merchant has changed: merchant APIs read that merchant's credentials anew. Without it they
 * do so when what they have cached is too old.
 */
export const credentialsChanged = {
  publishers: ["gateway-operator", "gateway-staff"],
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

/** Every notice there is. */
export const NOTICES: readonly Notice[] = [credentialsChanged, refundNotified];
