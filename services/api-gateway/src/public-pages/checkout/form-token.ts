import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";

/**
 * The token of a checkout's form: proof that we made this form, for this checkout and this payment id. No other site's
 * page can make one, and a form cannot name a payment of another checkout. Any replica can verify it.
 */
export type FormTokens = {
  issue(form: FormIdentity): string;
  verify(form: FormIdentity, token: string): boolean;
};

export type FormIdentity = { checkoutId: string; paymentId: string };

/** @param ring the card sealing keys; the keys derived here reveal nothing about them. */
export function createFormTokens({ activeId, keys }: KeyRing): FormTokens {
  const derived = new Map(
    [...keys].map(([id, key]) => [
      id,
      Buffer.from(hkdfSync("sha256", key, "", "holdfast checkout form v1", 32)),
    ]),
  );
  const sign = (key: Buffer, { checkoutId, paymentId }: FormIdentity) =>
    createHmac("sha256", key).update(`${checkoutId}:${paymentId}`).digest();
  return {
    issue: (form) => sign(derived.get(activeId)!, form).toString("base64url"),
    verify(form, token) {
      const given = Buffer.from(token, "base64url");
      // Every key is tried, so that forms outlive a rotation.
      return [...derived.values()].some((key) => {
        const expected = sign(key, form);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}
