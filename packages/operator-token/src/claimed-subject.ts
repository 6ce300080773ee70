import { decodeJwt, errors } from "jose";

/** Whom a token says that it is about, unverified: anybody can write such a token. Of what is no token, nobody. */
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
