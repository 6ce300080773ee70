import { SaxesParser } from "saxes";

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
