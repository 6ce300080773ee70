import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { openBytesAtRest, sealAtRest, SecretUnreadableError, type RestKeyRing } from "@holdfast/sealing";
import type { Session } from "./session.ts";

/**
 * The token that each form of a session has: no other site's page can know it, since it is keyed by the session's id,
 * which only the browser and this request have.
 */
export function formTokenOf(sessionId: string): string {
  return createHmac("sha256", sessionId).update("holdfast console form v1").digest("base64url");
}

/**
 * The session's token for a page's forms, followed by the person for whom the page was made and its mode.
 * Both are sealed, so nobody else can write them, and remain readable after the session has ended.
 */
export function pageTokenOf(keys: RestKeyRing, session: Session, isTest: boolean): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigUInt64BE(BigInt(Date.now()));
  head.writeUInt8(isTest ? 1 : 0, MODE_AT);
  const made = sealAtRest(keys, OWNER, Buffer.concat([head, personOf(session)])).toString("base64url");
  return `${formTokenOf(session.id)}.${made}`;
}

export function isFormToken(sessionId: string, given: string): boolean {
  const [token = ""] = given.split(".", 1);
  const [expected, found] = [Buffer.from(formTokenOf(sessionId)), Buffer.from(token)];
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/** The hash of a person, who as a merchant's staff is another one than as an operator. */
export function personOf({ subject, staff }: Pick<Session, "subject" | "staff">): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([subject, staff?.merchantId ?? null]))
    .digest();
}

/**
 * The person for whom the page of this token was made, and its mode; undefined for a token that we did not
 * make for a page, or of a page that is older than any session.
 */
export function pageIn(
  keys: RestKeyRing,
  token: string,
  nowMs = Date.now(),
): { person: Buffer; isTest: boolean } | undefined {
  const [, sealed = ""] = token.split(".", 2);
  try {
    const opened = openBytesAtRest(keys, OWNER, Buffer.from(sealed, "base64url"));
    if (nowMs - Number(opened.readBigUInt64BE(0)) >= PAGE_MS) return undefined;
    return { person: opened.subarray(HEAD_BYTES), isTest: opened.readUInt8(MODE_AT) === 1 };
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}

/** The time at which the page was made, and its mode. */
const HEAD_BYTES = 9;
const MODE_AT = 8;
const OWNER = "console form";
/** The most that `SESSION_MAX` may be. */
const PAGE_MS = 86_400_000;
