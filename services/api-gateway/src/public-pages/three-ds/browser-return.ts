import { BROWSER_RETURN_BOUNDS, type BrowserReturn } from "@holdfast/contracts";

/**
 * Reads the query or form that a browser brought back from the issuer, with order and repetitions: banks sign over it.
 * Browsers write a form in the encoding of the page that it was on and do not say which. What is not UTF-8 is read as
 * windows-1254, which is ISO 8859-9 with more characters: Turkish banks have pages in it.
 * @param text percent-encoded. @returns undefined for more than the bounds allow.
 */
export function readBrowserReturn(text: string): BrowserReturn | undefined {
  const pairs = text.split("&").filter((pair) => pair !== "");
  if (pairs.length > BROWSER_RETURN_BOUNDS.fields) return undefined;
  const encoded = pairs.map((pair): [Buffer, Buffer] => {
    const end = pair.indexOf("=");
    return end === -1
      ? [bytesOf(pair), Buffer.alloc(0)]
      : [bytesOf(pair.slice(0, end)), bytesOf(pair.slice(end + 1))];
  });
  const fields = decode(encoded, UTF_8) ?? decode(encoded, TURKISH)!;
  const isWithin = fields.every(
    ([name, value]) =>
      name.length <= BROWSER_RETURN_BOUNDS.name && value.length <= BROWSER_RETURN_BOUNDS.value,
  );
  return isWithin ? { fields } : undefined;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const TURKISH = new TextDecoder("windows-1254");

/** Decodes all fields in one encoding, since they come from one page. */
function decode(encoded: [Buffer, Buffer][], decoder: TextDecoder): [string, string][] | undefined {
  try {
    return encoded.map(([name, value]) => [decoder.decode(name), decoder.decode(value)]);
  } catch {
    return undefined;
  }
}

/** A `%` without two hexadecimal digits is taken literally. */
function bytesOf(text: string): Buffer {
  const parts = text.replaceAll("+", " ").split(/((?:%[0-9a-f]{2})+)/i);
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 ? Buffer.from(part.replaceAll("%", ""), "hex") : Buffer.from(part, "utf8"),
    ),
  );
}
