import { z } from "zod";

/**
 * What a service tells its own replicas. A notice is a hint that makes something act sooner: nobody answers it, it can
 * be lost, and what it is about must come true without it.
 */
export type Notice<Payload extends z.ZodType = z.ZodType> = {
  /** The one service that publishes and subscribes to it. */
  service: string;
  subject: string;
  payload: Payload;
};

/**
 * A credential was revoked or a merchant has changed: gateways read that merchant's credentials anew. Without it they
 * do so when what they have cached is too old.
 */
export const credentialsChanged = {
  service: "api-gateway",
  subject: "gateway.credentials.changed",
  payload: z.object({ merchantId: z.uuid() }),
} as const satisfies Notice;

/** Every notice there is. */
export const NOTICES: readonly Notice[] = [credentialsChanged];
