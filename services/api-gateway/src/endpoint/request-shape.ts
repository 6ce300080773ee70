import { JsonNumber, type FieldFault } from "@holdfast/contracts";
import { nearestName } from "@holdfast/service-runtime";
import type { z } from "zod";

/** Why a name that no schema knows is refused; without one it is ignored. */
export type UnknownNames = "unknown_field" | "unknown_parameter";

export type AddFault = (field: string, code: FieldFault["code"], message: FieldFault["message"]) => void;

/**
 * Adds faults that a schema alone does not see: a number in place of an object (a number that keeps its
 * source text is an object, too), and unknown names. Schemas stay open, because they also read messages of
 * other versions.
 *
 * @param unknown the fault code for unknown names.
 */
export function addShapeFaults(
  schema: z.ZodType,
  input: unknown,
  unknown: UnknownNames | undefined,
  addFault: AddFault,
): void {
  let namesLeft = UNKNOWN_NAMES_TOLD_MAX;
  const compare = (shape: Shape, value: unknown, path: string) => {
    if (shape.kind === "list") {
      if (!Array.isArray(value)) return;
      for (const [index, item] of value.entries()) compare(shape.items, item, joined(path, String(index)));
    } else if (shape.kind === "object") {
      if (value instanceof JsonNumber) return addFault(path || "body", "invalid_type", "must be an object");
      if (typeof value !== "object" || value === null || Array.isArray(value)) return;
      const fields = value as Record<string, unknown>;
      for (const [name, nested] of shape.nested) compare(nested, fields[name], joined(path, name));
      if (unknown === undefined) return;
      for (const name of Object.keys(fields)) {
        if (shape.names.has(name) || namesLeft-- <= 0) continue;
        addFault(joined(path, shownName(name)), unknown, unknownMessage(name, shape.names));
      }
    }
  };
  compare(shapeOf(schema), input, "");
}

/** A body of 32 KiB may have thousands of unknown names. */
const UNKNOWN_NAMES_TOLD_MAX = 20;

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A name is the client's own text: an unusual name, or one with a card number's digits, is not repeated. */
function shownName(name: string): string {
  const isName = /^[A-Za-z_][\w-]{0,63}$/.test(name) && name.replaceAll(/\D/g, "").length < 12;
  return isName ? name : "…";
}

function unknownMessage(name: string, known: ReadonlySet<string>): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `is not known here; did you mean ${nearest}?`;
  return known.size === 0
    ? "is not known here; none is"
    : `is not known here; known are ${[...known].join(", ")}`;
}

type Shape =
  | {
      kind: "object";
      names: ReadonlySet<string>;
      /** The fields that are or contain objects. */
      nested: [name: string, Shape][];
    }
  | { kind: "list"; items: Shape }
  | { kind: "scalar" };

const shapes = new WeakMap<z.ZodType, Shape>();

function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema);
  if (known) return known;
  const shape = readShape(schema);
  shapes.set(schema, shape);
  return shape;
}

/** @throws TypeError for a schema whose objects it cannot find: they would not be compared. */
function readShape(schema: z.ZodType): Shape {
  const def: SchemaDef = schema.def;
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape!);
      const nested = fields.map(([name, field]): [string, Shape] => [name, shapeOf(field)]);
      return {
        kind: "object",
        names: new Set(Object.keys(def.shape!)),
        nested: nested.filter(([, shape]) => shape.kind !== "scalar"),
      };
    }
    case "array": {
      const items = shapeOf(def.element!);
      return items.kind === "scalar" ? items : { kind: "list", items };
    }
    case "optional":
    case "nullable":
      return shapeOf(def.innerType!);
    case "pipe":
      // A preprocessed value has the shape of the schema behind the preprocessing.
      return shapeOf(def.out!);
    case "record":
      // The names in it are data, which the receiver checks.
      return { kind: "scalar" };
    default:
      if (SCALARS.has(def.type)) return { kind: "scalar" };
      throw new TypeError(`a request has a schema of type ${def.type}, whose objects cannot be found`);
  }
}

/** `custom` is an instance of a class. */
const SCALARS: ReadonlySet<string> = new Set(["string", "number", "boolean", "enum", "literal", "custom"]);

type SchemaDef = {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  out?: z.ZodType;
};
