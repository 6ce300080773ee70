import { decodeJwt, errors } from "jose";

/** The subject that a token claims, unverified: anybody can write such a token. Empty for an invalid token. */
export function claimedSubject(token: string): string {
  try {
    const { sub } = decodeJwt(token);
    return typeof sub === "string" ? sub.slice(0, SUBJECT_LENGTH_MAX) : "";
  } catch (error) {
    if (error instanceof errors.JOSEError) return "";
    throw error;
  }
}

const SUBJECT_LENGTH_MAX = 200;
