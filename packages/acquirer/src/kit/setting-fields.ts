import { z } from "zod";

/** An address of the bank. One over plain HTTP is refused when the account is connected: see `BankAddresses`. */
export const bankAddress = z
  .url({ protocol: /^https?$/, error: "must be an https:// address" })
  .max(512, "must have at most 512 characters")
  .refine((url) => !/[#@]/.test(url), "must have neither a user nor a fragment");

/** A secret as a person copies it from the bank's panel. No error repeats it. */
export const secretText = (lengthMax: number) =>
  z
    .string("must be a text")
    .min(1, "must not be empty")
    .max(lengthMax, `must have at most ${lengthMax} characters`)
    // Bytes that XML cannot carry, and with which no bank's user or key was ever made.
    .refine((text) => !/\p{Cc}/u.test(text), "must have no control characters")
    .refine((text) => text === text.trim(), "must have no space at its beginning or end")
    .refine((text) => text.isWellFormed(), "must be well-formed Unicode");

/** A secret of a signature. */
export const asciiSecret = (lengthMax: number) =>
  secretText(lengthMax).refine(
    (text) => /^[ -~]*$/.test(text),
    "must be ASCII only: other characters are hashed differently",
  );

/** A text that is sent to the bank in each call. */
export const settingText = (lengthMax: number) =>
  z
    .string("must be a text")
    .trim()
    .min(1, "must not be empty")
    .max(lengthMax, `must have at most ${lengthMax} characters`)
    .regex(/^\P{Cc}*$/u, "must have no control characters");

/** An object of an account. An error names an unknown field, and never its value. */
export const strictFields = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue: { code?: string; keys?: string[] }) =>
      issue.code === "unrecognized_keys"
        ? `must have no field ${issue.keys?.join(", ")}`
        : "must be an object",
  });
