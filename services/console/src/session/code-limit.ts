/**
 * Counts a code that a browser sends for a sign-in. @returns false if that sign-in had too many codes
 * already.
 */
export type CodeLimit = (state: string) => boolean;

/**
 * Bounds, in this process, the codes of one sign-in that the provider is asked about: otherwise anybody with
 * the cookie of a sign-in could guess codes while it is valid. The correct code is normally the first.
 */
export function createCodeLimit(): CodeLimit {
  const codes = new Map<string, number>();
  return (state) => {
    const count = (codes.get(state) ?? 0) + 1;
    if (count > CODES_MAX) return false;
    codes.set(state, count);
    if (codes.size > SIGN_INS_MAX) codes.delete(codes.keys().next().value!);
    return true;
  };
}

/** More than one, since the provider may not have answered the first time. */
const CODES_MAX = 3;
/** The number of sign-ins that are remembered; the oldest one is forgotten first. */
const SIGN_INS_MAX = 10_000;
