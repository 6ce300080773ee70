import type { BankNotification, ReadNotification } from "@holdfast/acquirer";
import { readJson } from "@holdfast/acquirer/kit";
import { z } from "zod";

import type { IyzicoSecrets } from "./iyzico-settings.ts";
import { isGenuineNotification } from "./signatures.ts";

/**
 * Reads an iyzico webhook, signed by `X-IYZ-SIGNATURE-V3`. The signature covers no time, so anybody who has
 * seen a webhook can send it again: it is only a hint. Its data about the payment is not read.
 */
export function readIyzicoNotification(
  { headers, body }: BankNotification,
  secrets: IyzicoSecrets,
): ReadNotification {
  const signature = headers["x-iyz-signature-v3"];
  if (signature === undefined) return { kind: "not_genuine", why: "no_signature" };
  const parsed = notification.safeParse(readJson(body));
  if (!parsed.success) return { kind: "not_genuine", why: "malformed" };
  const { paymentId, iyziPaymentId, token, ...signed } = parsed.data;
  const named = token === "" ? paymentId || iyziPaymentId : iyziPaymentId;
  return isGenuineNotification(signature, { ...signed, token, paymentId: named }, secrets)
    ? { kind: "genuine", name: signed.paymentConversationId }
    : { kind: "not_genuine", why: "signature" };
}

const text = z.string().max(256);
const textOrNothing = text.nullish().transform((given) => given ?? "");

/** Numbers are the text that they were written as. */
const notification = z.object({
  iyziEventType: text,
  paymentId: textOrNothing,
  iyziPaymentId: textOrNothing,
  token: textOrNothing,
  paymentConversationId: text,
  status: text,
});
