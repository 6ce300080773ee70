import { randomUUID } from "node:crypto";
import type { ThreeDsTerms } from "@holdfast/contracts";
import type { PagePurpose, SignedSessions } from "./signed-session.ts";
import { withoutTrailingSlashes } from "../public-url.ts";

/** Generates the session of a payment that begins, with the addresses of its two public pages. */
export type GenerateSession = (
  paymentId: string,
) => Pick<ThreeDsTerms, "sessionId" | "returnUrl" | "pageUrl">;

/** @param publicUrl the address of the public pages for cardholders, with or without a path. */
export function createGenerateSession(sessions: SignedSessions, publicUrl: string): GenerateSession {
  const base = withoutTrailingSlashes(publicUrl);
  return (paymentId) => {
    const sessionId = randomUUID();
    const address = (purpose: PagePurpose) =>
      `${base}/3ds/${purpose}/${sessions.sign({ paymentId, sessionId }, purpose, Date.now())}`;
    return { sessionId, returnUrl: address("return"), pageUrl: address("challenge") };
  };
}
