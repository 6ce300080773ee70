import { SaxesParser } from "saxes";

/**
 * The text of each element of a document by its path below the root, such as `Extra/ORDERSTATUS`; the first
 * of repeated ones. Undefined for a text that is not well-formed XML of that root, has a DTD, or is too large
 * or too deep.
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

/** A value of an answer: text, named values below it, or several of one name. */
export type XmlValue = string | XmlValues | readonly XmlValues[];
export type XmlValues = { readonly [name: string]: XmlValue };

/** The elements of an answer without a declaration. */
export function xmlOf(values: XmlValues, separator = ""): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each: string | XmlValues) => {
        const content = typeof each === "string" ? escapeXml(each) : xmlOf(each);
        return `<${name}>${content}</${name}>`;
      }),
    )
    .join(separator);
}

/** A tab is kept, as between the facts of one element. */
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

/**
 * Reads the XML out of a body: the XML itself, with any content type, or a form field with the XML, plain or
 * percent-encoded. The XML declares its encoding. @returns undefined for anything else
 */
export function xmlInBody(body: Buffer, formField: string): string | undefined {
  const latin = body.toString("latin1");
  if (latin.startsWith("<") || latin.startsWith(UTF_8_MARK)) return decode(body);
  const before = `${formField}=`;
  if (!latin.startsWith(before)) return undefined;
  const data = latin.slice(before.length);
  if (!/%3c/i.test(data)) return decode(body.subarray(before.length));
  return decode(percentDecoded(data));
}

/** Decodes form encoding, in which a space is a plus. Everything but an escape is taken literally. */
function percentDecoded(data: string): Buffer {
  const text = data
    .replaceAll("+", " ")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}

function decode(bytes: Buffer): string | undefined {
  const declaration = /^[^<]{0,3}<\?xml[^>]{0,100}?encoding=["']([A-Za-z0-9._-]{1,20})["']/.exec(
    bytes.toString("latin1", 0, 200),
  );
  const encoding = (declaration?.[1] ?? "utf-8").toLowerCase();
  if (!["utf-8", "iso-8859-9"].includes(encoding)) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A byte order mark, read as Latin-1. */
const UTF_8_MARK = "\u00EF\u00BB\u00BF";
