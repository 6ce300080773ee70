import { z } from "zod";

import { invalid, referenceSchema } from "./operation-request.ts";
import type { Parsed } from "./read-request.ts";

/** The bank's decision about an accepted operation. */
export type Decision = { reference: string; outcome: "approved" | "declined" };

/** Checks the body of `POST /decisions`. */
export function parseDecision(body: unknown): Parsed<Decision> {
  const parsed = decisionBody.safeParse(body);
  return parsed.success ? { kind: "valid", request: parsed.data } : invalid(parsed.error);
}

const decisionBody = z.object({ reference: referenceSchema, outcome: z.enum(["approved", "declined"]) });
