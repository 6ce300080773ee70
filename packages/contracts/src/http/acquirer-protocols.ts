import { z } from "zod";
import { openDocument } from "./open-document.ts";

/** A protocol that accounts can be made with. Its schemas say what an operator enters, and describe each field. */
export const acquirerProtocolSchema = z
  .object({
    protocol: z.string().meta({ description: "Name of the adapter that calls the bank" }),
    currencies: z
      .array(z.string())
      .meta({ description: "ISO 4217 codes that it can carry; empty where it can carry all" }),
    settings: openDocument.meta({ description: "JSON Schema of an account's `settings`" }),
    secrets: openDocument.meta({ description: "JSON Schema of an account's `secrets`" }),
  })
  .meta({ id: "AcquirerProtocol" });

export type AcquirerProtocol = z.infer<typeof acquirerProtocolSchema>;
