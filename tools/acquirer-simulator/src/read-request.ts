import type { IncomingMessage, ServerResponse } from "node:http";

import { readJsonBody, replyJson, replyTooLarge } from "@holdfast/simulator-kit";

/** A fault is reported by field name only, because an echoed value could be a card number. */
export type Parsed<Request> = { kind: "valid"; request: Request } | { kind: "invalid"; fields: string[] };

/** A parsed request, and when all of it had arrived. */
export type ReadRequest<Request> = { asked: Request; arrivedAtMs: number };

/** Reads and parses a request's JSON. @returns undefined where it has been refused. */
export async function readRequest<Request>(
  request: IncomingMessage,
  response: ServerResponse,
  parse: (body: unknown, nowMs: number) => Parsed<Request>,
): Promise<ReadRequest<Request> | undefined> {
  const body = await readJsonBody(request);
  if (body.kind === "too_large") replyTooLarge(response);
  else if (body.kind === "malformed") replyJson(response, 400, { error: "malformed_json" });
  else {
    const arrivedAtMs = Date.now();
    const parsed = parse(body.value, arrivedAtMs);
    if (parsed.kind === "valid") return { asked: parsed.request, arrivedAtMs };
    replyJson(response, 400, { error: "invalid_request", fields: parsed.fields });
  }
  return undefined;
}
