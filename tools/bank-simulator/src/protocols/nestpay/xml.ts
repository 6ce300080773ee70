import { SaxesParser } from "saxes";

import type { Cc5Response } from "./cc5-response.ts";

/**
 * The text of each element of a document by its path below the root, such as `Extra/ORDERSTATUS`; the first of repeated
 * ones. Undefined for a text that is no well-formed XML of that root, has a DTD, or is too large or too deep.
 */
export function readXml(text: string, root: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  const path: string[] = [];
  let content = "";
  let elements = 0;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new XmlRefusedError("a DTD");
  });
  parser.on("opentag", ({ name }) => {
    elements += 1;
    if (elements > ELEMENTS_MAX || path.length >= DEPTH_MAX) throw new XmlRefusedError("too much");
    if (path.length === 0 && name !== root) throw new XmlRefusedError("another root");
    path.push(name);
    content = "";
  });
  const append = (piece: string) => {
    content += piece;
  };
  parser.on("text", append);
  parser.on("cdata", append);
  parser.on("closetag", () => {
    const key = path.slice(1).join("/");
    if (!found.has(key)) found.set(key, content.trim());
    path.pop();
    content = "";
  });
  try {
    parser.write(text).close();
  } catch {
    // The parser's message could quote the document, which has a card number.
    return undefined;
  }
  return found;
}

class XmlRefusedError extends Error {
  override readonly name = "XmlRefusedError";
}

/** A request with a full basket has under a hundred elements, three deep. */
const ELEMENTS_MAX = 500;
const DEPTH_MAX = 8;

/** A value of an answer: text, or named values below it. */
type Value = string | Record<string, string>;

export const XML_TYPE = "text/xml;charset=ISO-8859-9";

/** An answer as the bytes that are sent, in ISO-8859-9 with the declaration. */
export function writeXml(response: Cc5Response): Buffer {
  return encodeIso88599(
    `<?xml version="1.0" encoding="ISO-8859-9"?>\n<CC5Response>${elementsOf(response, "\n")}</CC5Response>\n`,
  );
}

function elementsOf(values: Record<string, Value>, separator: string): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const content = typeof value === "string" ? escapeXml(value) : elementsOf(value, "");
      return `<${name}>${content}</${name}>`;
    })
    .join(separator);
}

/** A tab stands for itself, as between the facts of ORDERSTATUS. */
function escapeXml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Encodes text in ISO-8859-9: Latin-1 with six Turkish letters in place of Icelandic ones. Other characters become a
 * question mark. Node decodes this encoding, but encodes UTF-8 only.
 */
export function encodeIso88599(text: string): Buffer {
  return Buffer.from(Array.from(text, byteOf));
}

function byteOf(character: string): number {
  const turkish = turkishBytes.get(character);
  if (turkish !== undefined) return turkish;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff || replacedCodes.has(code) ? QUESTION_MARK : code;
}

const QUESTION_MARK = 0x3f;

const turkishBytes = new Map([
  ["Ğ", 0xd0],
  ["İ", 0xdd],
  ["Ş", 0xde],
  ["ğ", 0xf0],
  ["ı", 0xfd],
  ["ş", 0xfe],
]);

const replacedCodes = new Set(turkishBytes.values());
