import { z } from "zod";
import { JsonNumber } from "../json-number.ts";

/** Settings and secrets are the protocol's own; the payments service checks them by its schemas. */
const json = z.json();
// A schema that refers to itself would be in the document under a generated name, beside the open object that is meant.
const jsonValue = z.unknown().refine((value) => json.safeParse(value).success) as z.ZodType<
  z.infer<typeof json>
>;
export const openDocument = z
  .preprocess(plain, z.record(z.string().min(1).max(64), jsonValue))
  .meta({ override: { type: "object", additionalProperties: {} } });

/** Numbers as they are on the bus: at the edge they arrive as {@link JsonNumber}. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
