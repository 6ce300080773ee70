/** Pads a text as fixed-length hosts do: with NULs at its end and control characters of terminals around it. */
export function withControlCharacters(text: string): string {
  return `\u0000\u001b${text}\u0007\u0000\u0000\u0000`;
}

/** A text of more than 200 characters without a control character: longer than any column for a message. */
export const LONG_SLIP = "PLEASE KEEP THIS SLIP FOR YOUR RECORDS. ".repeat(6).trimEnd();
