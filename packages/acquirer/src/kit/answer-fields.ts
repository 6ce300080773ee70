import { z } from "zod";

import { minorOf, parseDecimal, roundedMinorOf } from "./decimal.ts";
import { printable, shownMessage } from "./masks.ts";

/**
 * Fields of a bank's answers. The bounds keep a faulty bank's values out of our columns and logs: hosts with fields of a
 * fixed length pad them, and PostgreSQL stores no U+0000.
 */
const text = z.string().transform(printable);

/** An id or a code. */
export const word = text.pipe(z.string().min(1).max(64));

/** A name that we gave, which has to come back without any change. */
export const ownName = z.string().min(1).max(160);

/** An id or a code that may be missing; null and an empty text count as missing. */
export const optionalWord = text
  .pipe(z.string().max(64))
  .nullish()
  .transform((given) => given || undefined);

/** The bank's text for people, which may be missing. */
export const message = z
  .string()
  .nullish()
  .transform((given) => shownMessage(given ?? ""));

/** An amount in major units, as exact minor units. */
export const amount = z.string().transform((given, context) => {
  const decimal = parseDecimal(given);
  const minor = decimal && minorOf(decimal);
  if (minor !== undefined) return minor;
  context.addIssue({ code: "custom", message: "not an amount" });
  return z.NEVER;
});

export const currency = z.string().regex(/^[A-Z]{3}$/);

/** A fee in minor units, half up; anything but a number is no fee. */
export const fee = z
  .unknown()
  .optional()
  .transform((given) => (typeof given === "string" ? parseDecimal(given) : undefined))
  .transform((decimal) => decimal && roundedMinorOf(decimal));

/** A field for which null says that it is missing. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((given) => given ?? undefined);

/** A list that may be missing. */
export const list = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema)
    .max(ROWS_MAX)
    .nullish()
    .transform((given) => given ?? []);
/** The most rows, more than fit into an answer of 64 KiB. */
export const ROWS_MAX = 500;
