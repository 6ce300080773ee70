import type { HttpAnswer } from "./bounded-http-client.ts";

/**
 * Decodes an answer as it declares, in its header first, then in its XML. All names and codes of Turkish banks'
 * answers are ASCII.
 * @param undeclared the encoding of an answer that declares none.
 * @returns undefined for bytes that are not what they are declared to be.
 */
export function decodeText(
  { bytes, contentType = "" }: Pick<HttpAnswer, "bytes" | "contentType">,
  undeclared = "iso-8859-9",
) {
  const declared =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? xmlEncoding(bytes) ?? undeclared;
  try {
    return textDecoder(declared)?.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The encoding that a document declares in its first {@link XML_DECLARATION_BYTES} bytes. */
export function xmlEncoding(beginning: Buffer): string | undefined {
  const text = beginning.toString("latin1", 0, XML_DECLARATION_BYTES);
  return /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)/.exec(text)?.[1];
}

export const XML_DECLARATION_BYTES = 200;

/** Throws at bytes that are not in the encoding. @returns undefined for an encoding that is not read. */
export function textDecoder(encoding: string): TextDecoder | undefined {
  return ENCODINGS.has(encoding.toLowerCase()) ? new TextDecoder(encoding, { fatal: true }) : undefined;
}

/** Encodings in which an ASCII byte is an ASCII character and nothing else. */
const ENCODINGS: ReadonlySet<string> = new Set(
  "iso-8859-9 windows-1254 iso-8859-1 windows-1252 us-ascii utf-8".split(" "),
);
