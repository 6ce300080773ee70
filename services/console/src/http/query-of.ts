import type { Request } from "express";

/** The query of an address. It is not read as a whole, since `//` and more that a client may send is no URL. */
export function queryOf({ originalUrl }: Pick<Request, "originalUrl">): URLSearchParams {
  const start = originalUrl.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : originalUrl.slice(start + 1));
}
