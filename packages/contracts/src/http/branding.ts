import { z } from "zod";
import { isReadableAccent } from "../accent.ts";
import { readLogo } from "../logo.ts";
import { textSchema } from "../text.ts";

/** A logo consists of a few shapes; a scan or a photograph would exceed this. */
const LOGO_CHARACTERS_MAX = 8_192;

/** A merchant's appearance to its buyers, on the hosted page and on the pages of its payment links. */
export const brandingSchema = z
  .object({
    name: textSchema(1, 60)
      .optional()
      .meta({
        description: "What buyers call the shop; without it the merchant's name",
        examples: ["Ada's Lamps"],
      }),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/, { error: "must be # and six hexadecimal digits in lower case", abort: true })
      .refine(isReadableAccent, {
        error:
          "must have a contrast of 4.5 to 1 with white, which is what is written on it (WCAG 2.2, 1.4.3)",
        params: { code: "low_contrast" },
        abort: true,
      })
      .optional()
      .meta({
        description:
          "Of buttons and marks. White is written on it, so it has a contrast of at least 4.5 to 1 with white; a lighter " +
          "one of the same hue is worked out for dark screens",
        examples: ["#7a1f5c"],
      }),
    logo: z
      .string()
      .max(LOGO_CHARACTERS_MAX, { error: `must have at most ${LOGO_CHARACTERS_MAX} characters`, abort: true })
      .check((context) => {
        const logo = readLogo(context.value);
        if (typeof logo === "string")
          context.issues.push({
            code: "custom",
            input: context.value,
            message: logo,
            params: { code: "invalid_logo" },
          });
      })
      .optional()
      .meta({
        description:
          "An SVG image of `path`, `rect`, `circle`, `ellipse` and `polygon` with plain fills, as text. Whatever could run, " +
          "load or be styled is refused, and the page shows what was read of it",
        examples: ['<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z" fill="#7a1f5c"/></svg>'],
      }),
  })
  .meta({ id: "Branding" });
export type Branding = z.infer<typeof brandingSchema>;
