import { z } from "zod";
import type { AddFault } from "./amount-field.ts";
import { cardNumberFree } from "../card-number.ts";

/**
 * The place to send the buyer's browser to: an absolute https URL in printable ASCII (RFC 3986) without a user name or
 * password; in test mode also a developer's own machine over http, which {@link checkReturnUrls} refuses in live mode.
 * Slips that browsers mend silently (a missing slash, a backslash, a tab) are refused, because another program would
 * mend them into something else. So is a card number.
 */
export function returnUrlSchema() {
  return z
    .string()
    .max(RETURN_URL_LENGTH_MAX, {
      error: `must have at most ${RETURN_URL_LENGTH_MAX} characters`,
      abort: true,
    })
    .refine((value) => isHttpsUrl(value) || isLoopbackUrl(value), {
      error: INVALID_URL.message,
      params: { code: INVALID_URL.code },
      abort: true,
    })
    .check(cardNumberFree)
    .meta({
      format: "uri",
      pattern:
        "^([Hh][Tt][Tt][Pp][Ss]://[!-~]+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]{1,5})?([/?#][!-~]*)?)$",
      examples: ["https://shop.example/paid"],
    });
}

const RETURN_URL_LENGTH_MAX = 2_048;

const INVALID_URL = {
  code: "invalid_url",
  message:
    "must be an https URL in ASCII, without user name or password; test keys may use http://localhost and http://127.0.0.1",
} as const;

/** Adds the faults of a request's return URLs in its mode: a buyer's browser has no business on its own machine. */
export function checkReturnUrls(
  fields: Record<string, unknown>,
  addFault: AddFault,
  { livemode }: { livemode: boolean },
): void {
  if (!livemode) return;
  for (const name of ["successUrl", "failureUrl", "returnUrl"]) {
    const value = fields[name];
    if (typeof value === "string" && isLoopbackUrl(value))
      addFault(name, INVALID_URL.code, INVALID_URL.message);
  }
}

/**
 * Accepts only these two names, since the browser's machine decides which other names lead to a loopback
 * address.
 */
function isLoopbackUrl(value: string): boolean {
  return (
    /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?(?:[/?#][!-~]*)?$/.test(value) &&
    !value.includes("\\") &&
    URL.canParse(value)
  );
}

function isHttpsUrl(value: string): boolean {
  if (!/^https:\/\/(?![/?#])[!-~]+$/i.test(value) || value.includes("\\")) return false;
  const url = URL.parse(value);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}
