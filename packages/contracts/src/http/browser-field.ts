import { z } from "zod";
import { cardNumberFree } from "../card-number.ts";

const printable = (max: number) =>
  z
    .string()
    .regex(/^[\x20-\x7e]+$/, { error: "must be printable ASCII" })
    .max(max, { error: `must have at most ${max} characters` })
    .check(cardNumberFree);

const digits = (what: string) =>
  z
    .string()
    .regex(/^\d{1,6}$/, { error: "must be 1 to 6 digits" })
    .optional()
    .meta({ description: what, examples: ["1080"] });

/** Bits of a pixel that EMV 3-D Secure allows; another value counts as the next one below. */
export const COLOR_DEPTHS = ["1", "4", "8", "15", "16", "24", "32", "48"] as const;

/**
 * The buyer's browser, by the names, types and bounds of EMV 3-D Secure (EMVCo, protocol specification 2.x, table A.1). Its
 * address is the request's `requestIp`.
 */
export const browserSchema = z
  .object({
    browserAcceptHeader: printable(2_048).meta({ description: "Its header `Accept`" }),
    browserUserAgent: printable(2_048).meta({ description: "Its header `User-Agent`" }),
    browserLanguage: printable(35).meta({ description: "IETF BCP 47", examples: ["tr-TR"] }),
    browserJavascriptEnabled: z.boolean().optional().meta({ description: "Whether it runs JavaScript" }),
    browserJavaEnabled: z
      .boolean()
      .optional()
      .meta({ description: "Whether it runs Java, as `navigator.javaEnabled()` tells" }),
    browserColorDepth: z
      .enum(COLOR_DEPTHS, {
        error: "must be 1, 4, 8, 15, 16, 24, 32 or 48",
      })
      .optional()
      .meta({ description: "Bits of a pixel's colour" }),
    browserScreenHeight: digits("Pixels"),
    browserScreenWidth: digits("Pixels"),
    browserTZ: z
      .string()
      .regex(/^-?\d{1,3}$/, { error: "must be minutes, such as -180" })
      .optional()
      .meta({
        description: "Minutes from the buyer's time to UTC, as JavaScript tells them",
        examples: ["-180"],
      }),
    challengeWindowSize: z
      .enum(["01", "02", "03", "04", "05"], { error: "must be 01 to 05" })
      .optional()
      .meta({
        description:
          "Pixels that the challenge is shown in. 01: 250 x 400. 02: 390 x 400. 03: 500 x 600. 04: 600 x 400. 05: the " +
          "full screen",
      }),
  })
  .meta({ id: "Browser", description: "The buyer's browser, in EMV 3-D Secure's terms" });
export type Browser = z.infer<typeof browserSchema>;
