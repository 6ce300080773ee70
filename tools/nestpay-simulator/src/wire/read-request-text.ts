/**
 * Reads the XML out of a body of `POST /fim/api`, in the three forms of the Nestpay protocol, transport: the XML
 * itself, with any content type, `DATA=` with the XML, or `DATA=` with the XML percent-encoded. The encoding is the one
 * that the XML declares. @returns undefined for anything else
 */
export function readRequestText(body: Buffer): string | undefined {
  const latin = body.toString("latin1");
  if (latin.startsWith("<") || latin.startsWith(UTF_8_MARK)) return decode(body);
  if (!latin.startsWith("DATA=")) return undefined;
  const data = latin.slice("DATA=".length);
  if (!/%3c/i.test(data)) return decode(body.subarray("DATA=".length));
  return decode(percentDecoded(data));
}

/** Form encoding: a space is a plus. Anything but an escape stands for itself. */
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
