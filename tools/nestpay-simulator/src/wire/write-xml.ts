import type { Cc5Response } from "./cc5-response.ts";
import { encodeIso88599 } from "./iso-8859-9.ts";

/** A value of an answer: text, or named values below it. */
type Value = string | Record<string, string>;

export const XML_TYPE = "text/xml;charset=ISO-8859-9";

/** An answer as the bytes that are sent, in ISO-8859-9 with the declaration. */
export function writeXml(response: Cc5Response): Buffer {
  const elements = Object.entries(response as Record<string, Value>).map(([name, value]) =>
    element(
      name,
      typeof value === "string"
        ? escapeXml(value)
        : Object.entries(value)
            .map(([child, text]) => element(child, escapeXml(text)))
            .join(""),
    ),
  );
  return encodeIso88599(
    `<?xml version="1.0" encoding="ISO-8859-9"?>\n${element("CC5Response", elements.join("\n"))}\n`,
  );
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** A tab stands for itself, as between the facts of ORDERSTATUS. */
function escapeXml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
