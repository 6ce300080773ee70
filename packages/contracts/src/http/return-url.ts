import { z } from "zod";
import { cardNumberFree } from "../card-number.ts";

/**
 * Where a merchant wants the buyer's browser to be sent: an absolute https URL in printable ASCII (RFC 3986) without a
 * user name or password. What browsers mend silently (a missing slash, a backslash, a tab) is refused, because another
 * program would mend it into something else. A card number has no place in it.
 */
export function returnUrlSchema() {
  return z
    .string()
    .max(RETURN_URL_LENGTH_MAX, {
      error: `must have at most ${RETURN_URL_LENGTH_MAX} characters`,
      abort: true,
    })
    .refine(isReturnUrl, {
      error: "must be an https URL in ASCII, without user name or password",
      params: { code: "invalid_url" },
      abort: true,
    })
    .check(cardNumberFree)
    .meta({
      format: "uri",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]://[!-~]+$",
      examples: ["https://shop.example/paid"],
    });
}

const RETURN_URL_LENGTH_MAX = 2_048;

function isReturnUrl(value: string): boolean {
  if (!/^https:\/\/(?![/?#])[!-~]+$/i.test(value) || value.includes("\\")) return false;
  const url = URL.parse(value);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}
