import { createHash } from "node:crypto";

/** The difference between a receiver's copy of a body and the one that was sent. */
export type BodyVerdict = "same" | "spaces" | "writtenAgain" | "other";

/**
 * Compares by the hash alone, since the log keeps only the hash of a body.
 * @param pasted as a browser sends a text area's content: with CRLF for each line end.
 * @param sentHash SHA-256, in lower-case hex.
 */
export function compareBody(pasted: string, sentHash: string): BodyVerdict {
  const text = pasted.replaceAll("\r\n", "\n");
  if (hashOf(text) === sentHash || hashOf(pasted) === sentHash) return "same";
  if (hashOf(text.trim()) === sentHash) return "spaces";
  const written = writtenAgain(text);
  return written !== undefined && hashOf(written) === sentHash ? "writtenAgain" : "other";
}

/** The JSON as we write it: without white space, with its members in the given order. */
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
