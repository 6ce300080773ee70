import { z } from "zod";
import { CARD_NUMBER_FAULT, holdsCardNumber, isMadeOfCardNumber } from "./card-number.ts";

/**
 * C0, C1 and DEL, line and paragraph separators, and the bidirectional controls, which can make a name read as
 * another one. Joiners (U+200C, U+200D) stay: Persian names and emoji need them.
 */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u;

/** True if a text has characters that no text of ours may have. */
export function hasForbiddenCharacters(text: string): boolean {
  return !text.isWellFormed() || FORBIDDEN_CHARACTERS.test(text);
}

/** The pattern for the OpenAPI document, whose readers may not know Unicode classes. */
const WITHOUT_FORBIDDEN =
  "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069\\uFEFF]*$";

/**
 * Free text from a merchant: well-formed Unicode without control characters and without a card number, not only white
 * space, its length counted in code points. It is kept as sent, so that the merchant's own key comes back byte for
 * byte.
 */
export function textSchema(min: number, max: number, { is = "text" }: TextOptions = {}) {
  return z
    .string()
    .check((context) => {
      const fault = textFault(context.value, min, max, is);
      if (fault) {
        context.issues.push({
          code: "custom",
          input: context.value,
          params: { code: fault },
          message: TEXT_FAULT_MESSAGES[fault](min, max),
        });
      }
    })
    .meta({
      minLength: min,
      maxLength: max,
      pattern: WITHOUT_FORBIDDEN,
      description: "Text without control characters, and without a card number",
    });
}

type TextOptions = {
  /**
   * `text` is written by people. `id` is made by programs, and judged by {@link isMadeOfCardNumber}. `number`: likewise, and
   * ASCII digits alone are taken although they may be a card number.
   */
  is?: TextKind;
};

type TextKind = "text" | "id" | "number";

type TextFault = "invalid_characters" | "too_short" | "too_long" | typeof CARD_NUMBER_FAULT.code;

function textFault(value: string, min: number, max: number, is: TextKind): TextFault | undefined {
  if (hasForbiddenCharacters(value)) return "invalid_characters";
  const length = Array.from(value.slice(0, 2 * max + 2)).length;
  if (length > max) return "too_long";
  if (length < min || value.trim() === "") return "too_short";
  if (is === "number" && /^[0-9]+$/.test(value)) return undefined;
  const isCard = is === "text" ? holdsCardNumber(value) : isMadeOfCardNumber(value);
  return isCard ? CARD_NUMBER_FAULT.code : undefined;
}

const TEXT_FAULT_MESSAGES: Record<TextFault, (min: number, max: number) => string> = {
  invalid_characters: () => "must be well-formed Unicode without control characters",
  too_short: (min) => `must have at least ${min} characters that are not white space`,
  too_long: (_min, max) => `must have at most ${max} characters`,
  [CARD_NUMBER_FAULT.code]: () => CARD_NUMBER_FAULT.message,
};
