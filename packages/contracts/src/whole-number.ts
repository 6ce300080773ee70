import { z } from "zod";
import { JsonNumber } from "./json-number.ts";

/** A whole number of a request, which stays as it was written; every fault of it is `out_of_range`. */
export function wholeNumberField(min: number, max: number, openApi: { default?: number } = {}) {
  return z
    .instanceof(JsonNumber, { error: "must be a number" })
    .meta({ override: { type: "integer", minimum: min, maximum: max, ...openApi } })
    .refine(
      ({ source }) => /^(0|[1-9]\d{0,8})$/.test(source) && Number(source) >= min && Number(source) <= max,
      { error: `must be a whole number from ${min} to ${max}`, params: { code: "out_of_range" } },
    );
}

/** A whole number: at the edge it arrives as a {@link JsonNumber}, on the bus and from the database as a number. */
export function wholeNumberSchema(min: number, max: number, description?: string) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .preprocess(
      (value) =>
        value instanceof JsonNumber && /^(0|[1-9]\d{0,8})$/.test(value.source) ? Number(value.source) : value,
      z.int({ error }).min(min, { error }).max(max, { error }),
    )
    .meta({ override: { type: "integer", minimum: min, maximum: max, ...(description && { description }) } });
}
