import { chooseLocale } from "@holdfast/html";
import type { Request, Response } from "express";
import type { Reader } from "../ui/page-context.ts";
import { TEXTS } from "../ui/texts.ts";
import { readCookie, setCookie } from "../session/cookies.ts";

const LANGUAGE_COOKIE = "__Host-holdfast-language";
const YEAR_S = 31_536_000;

/** The language that was switched to, on this page or an earlier one, else the browser's. */
export function readerOf(request: Request, response: Response): Reader {
  const switched = typeof request.query["lang"] === "string" ? request.query["lang"] : undefined;
  const chosen = switched ?? readCookie(request.headers.cookie, LANGUAGE_COOKIE);
  const { language, locale } = chooseLocale(chosen, request.headers["accept-language"]);
  if (switched === language) response.append("Set-Cookie", setCookie(LANGUAGE_COOKIE, language, YEAR_S));
  response.vary("Accept-Language");
  return { language, locale, texts: TEXTS[language] };
}
