import { z } from "zod";

import { minorOf, parseDecimal, roundedMinorOf } from "./decimal.ts";

/**
 * Fields of iyzico's answers, as `readJson` gives them: numbers are text. The bounds keep a faulty bank's values out of our
 * columns and logs: a text loses its control characters and the space around it.
 */
const printable = z.string().transform((text) => text.replace(CONTROL_CHARACTERS, "").trim());
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** An id or a code. */
export const word = printable.pipe(z.string().min(1).max(64));

/** A name that we gave, which has to come back unchanged: no character of it is mended. */
export const ownName = z.string().min(1).max(160);

/** An id or a code that may be missing: null and an empty text are none. */
export const optionalWord = printable
  .pipe(z.string().max(64))
  .nullish()
  .transform((given) => given || undefined);

export const message = printable.nullish().transform((given) =>
  Array.from(given ?? "")
    .slice(0, MESSAGE_LENGTH_MAX)
    .join(""),
);
const MESSAGE_LENGTH_MAX = 200;

/** An amount in exact minor units. */
export const amount = z.string().transform((text, context) => {
  const decimal = parseDecimal(text);
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
