import type { IncomingMessage } from "node:http";

import { readBody } from "./read-body.ts";

export type JsonBody = { kind: "json"; value: unknown } | { kind: "malformed" } | { kind: "too_large" };

/** Reads a request's JSON body, bounded. Rejects when the client goes away before its end. */
export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const body = await readBody(request);
  return body.kind === "read" ? parseJson(body.text) : body;
}

/** The parser's error is dropped because its message quotes the body, which may contain a card number. */
function parseJson(text: string): JsonBody {
  try {
    return { kind: "json", value: JSON.parse(text) as unknown };
  } catch {
    return { kind: "malformed" };
  }
}
