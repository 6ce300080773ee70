import { z } from "zod";
import { wholeNumberSchema } from "../whole-number.ts";
import { openDocument } from "./open-document.ts";

/** The proposal is named by its version, so that credentials never go to the address of a newer one. */
export const probeRequestSchema = z
  .object({
    proposal: z
      .object({
        version: wholeNumberSchema(1, 1_000_000, "The proposal that was looked at"),
        secrets: openDocument.meta({
          description: "The proposal's credentials, for this call alone; those that are stored are not used",
        }),
      })
      .optional()
      .meta({ description: "The proposal to probe; without it the version in use is probed" }),
  })
  .meta({ id: "ProbeAcquirerAccountRequest" });

export const probeResultSchema = z
  .object({
    result: z.enum(["ok", "credentials", "clock", "unreachable"]).meta({
      description:
        "`credentials`: the bank answered and does not know our user, password or key. `clock`: its clock is not ours in the " +
        "time zone of the account (`businessDay`)",
    }),
    detail: z.string().optional().meta({ description: "What came back, for people" }),
  })
  .meta({ id: "AcquirerAccountProbe" });
