import type { HttpAnswer } from "./bounded-http-client.ts";

/**
 * Decodes an answer as it declares, in its header first, then in its XML. Turkish banks' answers without any declaration
 * are in ISO-8859-9; all of their names and codes are ASCII.
 * @returns undefined for bytes that are not what they are declared to be.
 */
export function decodeText({ bytes, contentType = "" }: Pick<HttpAnswer, "bytes" | "contentType">) {
  const declared =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ??
    /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)/.exec(bytes.toString("latin1", 0, 200))?.[1] ??
    "iso-8859-9";
  if (!ENCODINGS.has(declared.toLowerCase())) return undefined;
  try {
    return new TextDecoder(declared, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Encodings in which an ASCII byte is an ASCII character and nothing else. */
const ENCODINGS: ReadonlySet<string> = new Set(
  "iso-8859-9 windows-1254 iso-8859-1 windows-1252 us-ascii utf-8".split(" "),
);
