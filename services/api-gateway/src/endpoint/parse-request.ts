import { faultOfIssue, JsonNumber, parseInOurWords, type FieldFault } from "@holdfast/contracts";
import { z } from "zod";
import { Refusal } from "../http/refusal.ts";
import { addShapeFaults, type AddFault, type UnknownNames } from "./request-shape.ts";
import type { CrossFieldCheck } from "./route.ts";

/**
 * Parses a body, query or path parameters by the endpoint's schema. All fields at fault are reported together, each with
 * its first fault, in the schema's order, never with the value.
 */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  {
    check,
    unknown,
    livemode = true,
  }: {
    check?: CrossFieldCheck | undefined;
    unknown?: UnknownNames | undefined;
    /** The mode of the key that the request came with. */
    livemode?: boolean | undefined;
  } = {},
): z.output<Schema> | Refusal {
  const isList = schema instanceof z.ZodArray;
  if (isList && !Array.isArray(input)) return refusalOf([NOT_A_LIST]);
  if (!isList && !isObject(input)) return refusalOf([NOT_AN_OBJECT]);
  const parsed = parseInOurWords(schema, input);
  const faults = new Map<string, FieldFault>();
  const addFault: AddFault = (field, code, message) => {
    if (!faults.has(field) && !isWithin(faults, field)) faults.set(field, { field, code, message });
  };
  addShapeFaults(schema, input, unknown, addFault);
  for (const issue of parsed.error?.issues ?? []) {
    const { code, message } = faultOfIssue(issue, input);
    addFault(issue.path.join(".") || "body", code, message);
  }
  if (isObject(input)) check?.(input, new Date(), addFault, { livemode });
  if (faults.size === 0) return parsed.data!;
  return refusalOf(inSchemaOrder(schema, [...faults.values()]));
}

/** True if a field is in something that is not even an object. */
function isWithin(faults: ReadonlyMap<string, FieldFault>, field: string): boolean {
  for (let end = field.lastIndexOf("."); end > 0; end = field.lastIndexOf(".", end - 1))
    if (faults.get(field.slice(0, end))?.code === "invalid_type") return true;
  return false;
}

const NOT_AN_OBJECT: FieldFault = { field: "body", code: "invalid_type", message: "must be an object" };
const NOT_A_LIST: FieldFault = { field: "body", code: "invalid_type", message: "must be a list" };

function isObject(input: unknown): input is Record<string, unknown> {
  const isObject = typeof input === "object" && input !== null;
  return isObject && !Array.isArray(input) && !(input instanceof JsonNumber);
}

function refusalOf(errors: FieldFault[]): Refusal {
  return new Refusal("validation_failed", { members: { errors } });
}

function inSchemaOrder(schema: z.ZodType, faults: FieldFault[]): FieldFault[] {
  const names = "shape" in schema ? Object.keys(schema.shape as object) : [];
  const place = ({ field }: FieldFault) => names.indexOf(field.split(".")[0]!);
  return faults.sort((a, b) => place(a) - place(b));
}
