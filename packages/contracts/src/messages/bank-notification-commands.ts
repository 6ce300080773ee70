import { z } from "zod";
import { defineServiceCommand } from "./message.ts";

/** The bounds of a bank's own message: bytes of the body, headers that may sign it, and characters of a value. */
export const BANK_NOTIFICATION_BOUNDS = { bodyBytes: 16 * 1_024, headers: 8, headerValue: 1_024 } as const;

/**
 * A message to the address of an account, which may come from its bank. Only `payments`, which has the
 * account's secrets, can verify it. The command is done in either case, and at most makes `payments` inquire
 * at the bank about the named payment.
 */
export const takeBankNotification = defineServiceCommand({
  service: "payments",
  name: "take-bank-notification",
  work: "write",
  senders: ["gateway-public"],
  request: z.object({
    accountId: z.uuid(),
    /** The headers that may contain a signature, by lower-case names. */
    headers: z.record(z.string().max(64), z.string().max(BANK_NOTIFICATION_BOUNDS.headerValue)),
    /** The body's bytes in base64. They are neither stored nor logged. */
    body: z.base64().max(Math.ceil(BANK_NOTIFICATION_BOUNDS.bodyBytes / 3) * 4),
  }),
  result: z.object({ isGenuine: z.boolean() }),
});
export type TakeBankNotification = z.infer<typeof takeBankNotification.request>;
