import type { Request, Response } from "express";
import { readCookie, setCookie } from "../session/cookies.ts";
import { queryOf } from "./query-of.ts";

const MODE_COOKIE = "__Host-holdfast-mode";
const YEAR_S = 31_536_000;

/** The mode of the page: the one that its address names, else the one that was switched to last. */
export function isLiveMode(request: Pick<Request, "originalUrl" | "headers">): boolean {
  const named = queryOf(request).get("livemode");
  return (named || readCookie(request.headers.cookie, MODE_COOKIE)) !== "false";
}

/** Keeps a mode that the address names, for the pages that follow. */
export function keepMode(request: Request, response: Response): void {
  const asked = queryOf(request);
  const named = asked.get("livemode");
  // A form is given back in its own mode, which the person has perhaps left since.
  if (request.method !== "GET" || asked.has("kept")) return;
  if (named !== "true" && named !== "false") return;
  response.append("Set-Cookie", setCookie(MODE_COOKIE, named, YEAR_S));
}

/**
 * The query of a page, with its mode, which its links and forms then name: nothing of the browser's changes it, since the
 * page may be older than the latest switch.
 */
export function queryInMode(request: Request): URLSearchParams {
  const query = queryOf(request);
  if (request.method === "GET" && !query.get("livemode")) query.set("livemode", `${isLiveMode(request)}`);
  return query;
}
