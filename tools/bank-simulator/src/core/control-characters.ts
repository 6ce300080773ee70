/** Pads a text as fixed-length hosts do: with NULs at its end and control characters of terminals around it. */
export function withControlCharacters(text: string): string {
  return `\u0000\u001b${text}\u0007\u0000\u0000\u0000`;
}

/** More than 200 characters, without a control character among them: longer than any column planned for a message. */
export const LONG_SLIP = "PLEASE KEEP THIS SLIP FOR YOUR RECORDS. ".repeat(6).trimEnd();
