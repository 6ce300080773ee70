import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";

/** One payment's 3-D Secure session, as the addresses of its public pages name it. */
export type SessionIds = { paymentId: string; sessionId: string };

/** The page that a signature is valid for: one for the challenge must not work for the return. */
export type PagePurpose = "challenge" | "return";

export type SignedSessions = {
  /** @param now epoch milliseconds. @returns the last segment of the page's path, in URL-safe characters. */
  sign(ids: SessionIds, purpose: PagePurpose, now: number): string;
  /** Verifies a state, of which nothing may be used unless it is `valid`. */
  verify(state: string, purpose: PagePurpose, now: number): VerifiedSession;
};

export type VerifiedSession = { kind: "valid"; ids: SessionIds } | { kind: "forged" } | { kind: "expired" };

/**
 * The state in the addresses that a cardholder's browser carries to and from the issuer: payment, session and
 * time of issue, under an HMAC-SHA-256 with a key of its own. It is bound to one payment, one session and one
 * page, and expires. The payment ensures that it is used only once: the first return claims it, under its
 * lease.
 */
export function createSignedSessions(keys: KeyRing, { lifetimeMs }: { lifetimeMs: number }): SignedSessions {
  const digest = (key: Buffer, purpose: PagePurpose, payload: string) =>
    createHmac("sha256", key).update(`3ds ${purpose}\n${payload}`).digest("base64url");
  return {
    sign({ paymentId, sessionId }, purpose, now) {
      const payload = Buffer.concat([bytesOf(paymentId), bytesOf(sessionId), timeBytes(now)]).toString(
        "base64url",
      );
      const signature = digest(keys.keys.get(keys.activeId)!, purpose, payload);
      return `${keys.activeId}.${payload}.${signature}`;
    },
    verify(state, purpose, now) {
      const [, keyId = "", payload = "", signature = ""] = STATE.exec(state) ?? [];
      const key = keys.keys.get(keyId);
      if (!key) return { kind: "forged" };
      // Compared as text, so that each signature has one spelling only; both have 43 characters.
      const expected = Buffer.from(digest(key, purpose, payload));
      if (!timingSafeEqual(Buffer.from(signature), expected)) return { kind: "forged" };
      const bytes = Buffer.from(payload, "base64url");
      if (now >= bytes.readUIntBE(32, 6) + lifetimeMs) return { kind: "expired" };
      return { kind: "valid", ids: { paymentId: uuidOf(bytes, 0), sessionId: uuidOf(bytes, 16) } };
    },
  };
}

/** Key id, 38 bytes and 32 bytes in base64url. */
const STATE = /^([\w-]{1,32})\.([\w-]{51})\.([\w-]{43})$/;

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

function uuidOf(bytes: Buffer, start: number): string {
  const hex = bytes.toString("hex", start, start + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Epoch milliseconds fit six bytes for the next 8 900 years. */
function timeBytes(now: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(now, 0, 6);
  return bytes;
}
