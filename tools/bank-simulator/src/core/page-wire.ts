import { messagePage } from "./issuer-pages.ts";
import type { Reply, Wire } from "./serve-call.ts";

export function pageReply(status: number, html: string): Reply {
  return { status, contentType: "text/html; charset=utf-8", body: html };
}

const garbage: Reply = { status: 200, contentType: "application/octet-stream", body: "\u0000\u001B<html" };

/** The wire of a call that is answered with whole pages. */
export const pageWire: Wire<Reply> = {
  write: (reply) => reply,
  bend: (reply, behaviour) => (behaviour === "illegal_characters" ? garbage : reply),
  garbage,
  broken: pageReply(500, messagePage("Internal error")),
};
