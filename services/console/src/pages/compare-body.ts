import { createHash } from "node:crypto";

/** How the body that a receiver has differs from the one that was sent. */
export type BodyVerdict = "same" | "spaces" | "writtenAgain" | "other";

/**
 * Compares by the hash alone, since that is what the log keeps of a body.
 * @param pasted as a browser sends what stands in a text area: with CRLF for each line end.
 * @param sentHash SHA-256, in lower-case hex.
 */
export function compareBody(pasted: string, sentHash: string): BodyVerdict {
  const text = pasted.replaceAll("\r\n", "\n");
  if (hashOf(text) === sentHash || hashOf(pasted) === sentHash) return "same";
  if (hashOf(text.trim()) === sentHash) return "spaces";
  const written = writtenAgain(text);
  return written !== undefined && hashOf(written) === sentHash ? "writtenAgain" : "other";
}

/** As we write JSON: without white space, in the order in which it stands there. */
function writtenAgain(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
