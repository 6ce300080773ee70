import type { IncomingMessage, ServerResponse } from "node:http";

import { readJsonBody } from "./read-json-body.ts";
import { replyJson, replyTooLarge } from "./reply.ts";

/** Answers `POST /faults`. */
export async function takeFaults(
  faults: { add(body: unknown): boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readJsonBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  if (body.kind === "json" && faults.add(body.value)) return replyJson(response, 200, {});
  return replyJson(response, 400, { error: "invalid_fault" });
}
