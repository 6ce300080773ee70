import { z } from "zod";
import { openProposalSchema } from "../http/proposals.ts";
import { listPartSchema, partOfListSchema } from "./list-parts.ts";
import { defineOperatorCommand } from "./message.ts";

/**
 * Reads one service's proposals that wait for a second person, of the kinds that the caller may decide; the
 * gateway merges them.
 */
export const readProposals = {
  payments: readProposalsOf("payments"),
  refunds: readProposalsOf("refunds"),
  settlement: readProposalsOf("settlement"),
} as const;

function readProposalsOf(service: string) {
  return defineOperatorCommand({
    service,
    name: "list-proposals",
    role: "viewer",
    work: "read",
    request: partOfListSchema.extend({ livemode: z.boolean() }),
    result: listPartSchema(openProposalSchema),
  });
}
