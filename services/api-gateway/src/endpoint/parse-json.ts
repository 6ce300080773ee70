import { isUtf8 } from "node:buffer";
import { JsonNumber, type FieldFault } from "@holdfast/contracts";
import { Refusal } from "../http/refusal.ts";

/**
 * JSON (RFC 8259) that is safe to read a payment from: strict UTF-8, each number kept as its source text, no
 * name that can reach a prototype, bounded nesting, and no duplicate names in an object. Parsers differ in
 * which duplicate they keep, so a request could mean 1 here and 1000 there.
 *
 * The native parser does the reading. It keeps the last of two members with one name, however each is
 * spelled. So an object had a duplicate exactly if it has fewer members than there are colons outside
 * strings.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return malformed("The body is not UTF-8.");
  const text = bytes.toString("utf8");
  if (text.startsWith("\uFEFF"))
    return malformed("The body begins with a byte order mark (U+FEFF). Send JSON without one.");
  const shape = scan(text);
  if (shape.depth > DEPTH_MAX) return malformed(`The body nests more than ${DEPTH_MAX} levels deep.`);

  // The root is visited as the one member of a holder.
  let members = -1;
  let forbidden: string | undefined;
  let value: unknown;
  try {
    value = JSON.parse(
      text,
      function (this: unknown, key: string, member: unknown, context?: { source?: string }) {
        if (!Array.isArray(this)) {
          members++;
          if (FORBIDDEN_NAMES.has(key)) forbidden ??= key;
        }
        return typeof member === "number" ? new JsonNumber(context!.source!) : member;
      },
    );
  } catch {
    // No cause: the error's message repeats a piece of the body.
    return malformed();
  }
  if (members !== shape.colons) return malformed("A name appears twice in one object.");
  if (forbidden !== undefined)
    return new Refusal("validation_failed", { members: { errors: [forbiddenName(forbidden)] } });
  return value;
}

/** The deepest valid request has two levels. */
export const DEPTH_MAX = 20;

const FORBIDDEN_NAMES = new Set(["__proto__", "constructor", "prototype"]);

function forbiddenName(name: string): FieldFault {
  return { field: name, code: "forbidden_key", message: "is not allowed as a name" };
}

function malformed(detail?: string): Refusal {
  return new Refusal("malformed_json", { detail });
}

/** Counts colons outside of strings, and the depth of nesting. Text that is not JSON may give any count. */
function scan(text: string): { colons: number; depth: number } {
  let colons = 0;
  let level = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case COLON:
        colons++;
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        level++;
        if (level > depth) depth = level;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        level--;
        break;
    }
  }
  return { colons, depth };
}

/**
 * The end of the string that begins at `start`: the first quote behind it that is not escaped.
 */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === BACKSLASH) index++;
    else if (character === QUOTE) return index;
  }
  return text.length;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
const COLON = ":".charCodeAt(0);
const OPENING_BRACE = "{".charCodeAt(0);
const CLOSING_BRACE = "}".charCodeAt(0);
const OPENING_BRACKET = "[".charCodeAt(0);
const CLOSING_BRACKET = "]".charCodeAt(0);
