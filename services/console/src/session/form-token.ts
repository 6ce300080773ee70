import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The token that each form of a session has: no other site's page can know it, since it is keyed by the session's id,
 * which only the browser and this request have.
 */
export function formTokenOf(sessionId: string): string {
  return createHmac("sha256", sessionId).update("holdfast console form v1").digest("base64url");
}

export function isFormToken(sessionId: string, given: string): boolean {
  const [expected, found] = [Buffer.from(formTokenOf(sessionId)), Buffer.from(given)];
  return expected.length === found.length && timingSafeEqual(expected, found);
}
