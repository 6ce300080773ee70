import { wholeNumberSchema } from "../whole-number.ts";

/**
 * The version of a thing that the author of a change has read. Two people who change the same thing from the same version
 * make one change: the other one is refused, and so nobody overwrites what they have not seen.
 */
export const readVersionSchema = wholeNumberSchema(
  1,
  1_000_000,
  "The version that you have read: if there is a newer one, nothing is changed (`changed_since_read`)",
);
