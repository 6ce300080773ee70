import type { ServerResponse } from "node:http";

import { replyJson } from "@holdfast/simulator-kit";

/** Refuses a request whose reference is bound to another request (`conflict`) or to this one (`duplicate`). */
export function replyTaken(
  response: ServerResponse,
  kind: "conflict" | "duplicate",
  reference: string,
): void {
  replyJson(response, 409, {
    error: kind === "conflict" ? "reference_conflict" : "duplicate_reference",
    reference,
  });
}
