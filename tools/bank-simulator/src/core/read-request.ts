import type { IncomingMessage, ServerResponse } from "node:http";

import type { z } from "zod";

import { readBody } from "./read-body.ts";
import { replyJson, replyTooLarge } from "./reply.ts";

/** A fault is reported by field name only, because an echoed value could be a card number. */
export type Parsed<Request> = { kind: "valid"; request: Request } | { kind: "invalid"; fields: string[] };

export function invalid({ issues }: z.ZodError): { kind: "invalid"; fields: string[] } {
  return { kind: "invalid", fields: [...new Set(issues.map((issue) => issue.path.join(".")))] };
}

/** Checks a body by a schema. */
export function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): Parsed<z.output<Schema>> {
  const parsed = schema.safeParse(body);
  return parsed.success ? { kind: "valid", request: parsed.data } : invalid(parsed.error);
}

/** A parsed request, and when all of it had arrived, in epoch milliseconds. */
export type ReadRequest<Request> = { asked: Request; arrivedAtMs: number };

/** Reads and parses a request's JSON. @returns undefined if it has been refused. */
export async function readRequest<Request>(
  request: IncomingMessage,
  response: ServerResponse,
  parseBody: (body: unknown, nowMs: number) => Parsed<Request>,
): Promise<ReadRequest<Request> | undefined> {
  const body = await readBody(request);
  if (body.kind === "too_large") {
    replyTooLarge(response);
    return undefined;
  }
  const json = parseJson(body.text);
  const arrivedAtMs = Date.now();
  const parsed = json && parseBody(json.value, arrivedAtMs);
  if (parsed?.kind === "valid") return { asked: parsed.request, arrivedAtMs };
  const error = parsed ? { error: "invalid_request", fields: parsed.fields } : { error: "malformed_json" };
  replyJson(response, 400, error);
  return undefined;
}

/** The parser's error is dropped because its message quotes the body, which may contain a card number. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
