import { z } from "zod";

/** A field of a protocol's settings or credentials, as their JSON Schema describes it. A group has fields of its own. */
export type ProtocolField = {
  /** The field's name in a form and in a fault, such as `settings.defaults.ip`. */
  path: string;
  kind: "group" | "text" | "number" | "boolean" | "list" | "choice";
  isRequired: boolean;
  /** The protocol's own words. */
  hint: string | undefined;
  /** The default value, if there is one. */
  byDefault: unknown;
  choices: readonly string[];
  fields: readonly ProtocolField[];
};

/** The parts of JSON Schema that say how a field is shown. The gateway checks a value by the rest. */
const schemaParts = z.object({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  const: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

/** @param schema of `path`; of the whole, that is `settings` or `secrets`, which a request always has. */
export function protocolFields(path: string, schema: unknown, isRequired = true): ProtocolField {
  const parts = schemaParts.parse(schema);
  const { properties = {}, required = [] } = parts;
  const choices = parts.enum ?? (parts.const === undefined ? [] : [parts.const]);
  return {
    path,
    kind: kindOf(parts.type, choices),
    isRequired,
    hint: parts.description,
    byDefault: parts.default,
    choices,
    fields: Object.entries(properties).map(([name, inner]) =>
      protocolFields(`${path}.${name}`, inner, required.includes(name)),
    ),
  };
}

function kindOf(type: string | undefined, choices: readonly string[]): ProtocolField["kind"] {
  if (choices.length > 0) return "choice";
  switch (type) {
    case "object":
      return "group";
    case "array":
      return "list";
    case "boolean":
      return "boolean";
    case "number":
    case "integer":
      return "number";
    default:
      return "text";
  }
}

/** The last part of a field's path. */
export function nameOf({ path }: Pick<ProtocolField, "path">): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/** A form's value of a field for the gateway; undefined if it is left out. */
export function sentValue(field: ProtocolField, form: URLSearchParams): unknown {
  const text = form.get(field.path)?.trim() ?? "";
  const { kind } = field;
  switch (kind) {
    case "group":
      return sentGroup(field, form);
    case "boolean":
      return form.has(field.path);
    case "list": {
      const entries = entriesOf(text);
      return entries.length > 0 || field.byDefault !== undefined ? entries : undefined;
    }
    case "number":
      return text === "" ? undefined : numberIn(text);
    case "text":
    case "choice":
      return text === "" ? undefined : text;
    default:
      return kind satisfies never;
  }
}

/** An optional group is left out if nothing was entered in it. */
function sentGroup({ fields, isRequired }: ProtocolField, form: URLSearchParams): object | undefined {
  const values = fields
    .map((field) => [nameOf(field), sentValue(field, form)] as const)
    .filter(([, value]) => value !== undefined);
  const isSent = isRequired || values.some(([, value]) => isEntered(value));
  return isSent ? Object.fromEntries(values) : undefined;
}

/** True if somebody has entered anything of a value of a form. */
export function isEntered(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(isEntered);
  return value !== undefined && value !== false;
}

/** The entries of a list that is written in one line. */
export function entriesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/**
 * The number that a text stands for. Any other text is sent unchanged, so that the gateway reports its fault.
 */
export function numberIn(text: string): number | string {
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

/** A stored value in a field of a form. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

/** A member of a stored object, if it is one and has it. */
export function memberOf(value: unknown, name: string): unknown {
  return new Map(Object.entries(value ?? {})).get(name);
}
