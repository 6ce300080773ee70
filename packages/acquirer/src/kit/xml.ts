import { SaxesParser } from "saxes";

/** An element of an answer. Its `text` leaves out its children's. */
export type XmlElement = { name: string; text: string; children: XmlElement[] };

/** The elements of a request by their names, in their order. An undefined element is left out. */
export type XmlContent = { readonly [name: string]: string | XmlContent | undefined };

/**
 * Reads an answer in XML, however malformed it is. Without a document type there are no entities but the five, and
 * nothing that grows.
 * @returns undefined for anything but well-formed XML with this root.
 */
export function readXml(text: string, rootName: string): XmlElement | undefined {
  const top: XmlElement = { name: "", text: "", children: [] };
  const path = [top];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new NotReadError();
  });
  parser.on("opentag", ({ name }) => {
    if (path.length > DEPTH_MAX || (path.length === 1 && name !== rootName)) throw new NotReadError();
    const element: XmlElement = { name, text: "", children: [] };
    path.at(-1)!.children.push(element);
    path.push(element);
  });
  parser.on("text", (part) => (path.at(-1)!.text += part));
  parser.on("cdata", (part) => (path.at(-1)!.text += part));
  parser.on("closetag", () => void path.pop());
  try {
    parser.write(text).close();
  } catch {
    return undefined;
  }
  return top.children[0];
}

/** Rows of an order are three or four elements deep. */
const DEPTH_MAX = 8;

class NotReadError extends Error {
  override name = "NotReadError";
}

/**
 * A request's document, whose texts cannot break out of their elements.
 * @param declared the encoding that the document names. A bank may require another name than the encoding of
 * the bytes.
 */
export function writeXml(rootName: string, content: XmlContent, declared = "UTF-8"): string {
  return `<?xml version="1.0" encoding="${declared}"?>${writeElement(rootName, content)}`;
}

function writeElement(name: string, content: string | XmlContent): string {
  const inner =
    typeof content === "string"
      ? escapeText(content)
      : Object.entries(content)
          .map(([child, of]) => (of === undefined ? "" : writeElement(child, of)))
          .join("");
  return `<${name}>${inner}</${name}>`;
}

/** Leaves out what XML cannot carry at all. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
