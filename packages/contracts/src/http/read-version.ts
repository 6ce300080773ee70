import { z } from "zod";
import { wholeNumberSchema } from "../whole-number.ts";

/**
 * The version of an object that the author of a change has read. Of two changes made from the same version
 * the second is refused, so nobody overwrites what they have not seen.
 */
export const readVersionSchema = wholeNumberSchema(
  1,
  1_000_000,
  "The version that you have read: if there is a newer one, nothing is changed (`changed_since_read`)",
);

/** The version as a parameter, beside a body that is a list; 0 stands for no version yet. */
export const readVersionParameter = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})$/, { error: "must be a whole number from 0 to 999999" })
  .optional()
  .meta({
    description: "The newest version that you have read, of the proposal or else in use, or 0 without any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: "integer", minimum: 0, maximum: 999_999 });
    },
  });
