import { z } from "zod";
import { JsonNumber } from "./json-number.ts";

/** A whole number of a request, kept as it was written; every fault of it is `out_of_range`. */
export function wholeNumberField(min: number, max: number) {
  return z
    .instanceof(JsonNumber, { error: "must be a number" })
    .meta({ override: { type: "integer", minimum: min, maximum: max } })
    .refine(
      (value) => {
        const number = wholeNumberOf(value);
        return number !== undefined && number >= min && number <= max;
      },
      { error: `must be a whole number from ${min} to ${max}`, params: { code: "out_of_range" } },
    );
}

/** A whole number: at the edge it arrives as a {@link JsonNumber}, on the bus and from the database as a number. */
export function wholeNumberSchema(min: number, max: number, description?: string) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .preprocess(
      (value) => (value instanceof JsonNumber ? (wholeNumberOf(value) ?? value) : value),
      z.int({ error }).min(min, { error }).max(max, { error }),
    )
    .meta({ override: { type: "integer", minimum: min, maximum: max, ...(description && { description }) } });
}

/**
 * The number, if it is whole and not negative and has at most nine digits. JSON Schema counts `443.0` and `4.43e2` as
 * integers, and some libraries write them so.
 */
export function wholeNumberOf({ source }: JsonNumber): number | undefined {
  if (source.length > SOURCE_LENGTH_MAX) return undefined;
  const [, whole, fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/0+$/, "");
  const decimals = fraction.length - (whole + fraction).length + digits.length - Number(exponent);
  if (digits !== "" && decimals > 0) return undefined;
  const number = Number(source);
  return number < 1e9 ? number : undefined;
}

const SOURCE_LENGTH_MAX = 40;
