import { z } from "zod";
import type { BankNotification, ReadNotification } from "@holdfast/acquirer";
import { hmacHex, isSameSignature, readJson } from "@holdfast/acquirer/kit";

export const simulatorSecrets = z.strictObject({
  notificationKey: z
    .string()
    .regex(/^[!-~]{16,256}$/, "must be 16 to 256 characters of ASCII")
    .exactOptional()
    .describe("Shows that notifications are the simulator's; without it none is genuine."),
});
export type SimulatorSecrets = z.infer<typeof simulatorSecrets>;

/** Reads a notification of the simulator's: `X-Sim-Signature` is the HMAC-SHA-256 of the body's bytes, in hexadecimal. */
export function readSimulatorNotification(
  { headers, body }: BankNotification,
  { notificationKey }: SimulatorSecrets,
): ReadNotification {
  if (notificationKey === undefined) return { kind: "not_genuine", why: "no_secret" };
  const signature = headers["x-sim-signature"];
  if (signature === undefined) return { kind: "not_genuine", why: "no_signature" };
  if (!isSameSignature(signature.toLowerCase(), hmacHex(notificationKey, body)))
    return { kind: "not_genuine", why: "signature" };
  const parsed = notification.safeParse(readJson(body, "as_numbers"));
  return parsed.success
    ? { kind: "genuine", name: parsed.data.reference }
    : { kind: "not_genuine", why: "malformed" };
}

const notification = z.object({ reference: z.string().max(256) });
