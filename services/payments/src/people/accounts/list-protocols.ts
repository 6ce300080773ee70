import type { AnyConnector } from "@holdfast/acquirer";
import { acquirerProtocolSchema, type AcquirerProtocol } from "@holdfast/contracts";
import { z } from "zod";

/** The protocols that accounts can be made with, each with the JSON Schemas of what an operator enters for it. */
export function protocolsOf(connectors: ReadonlyMap<string, AnyConnector>): AcquirerProtocol[] {
  return [...connectors.values()].map(({ protocol, currencies, settings, secrets }) =>
    acquirerProtocolSchema.parse({
      protocol,
      currencies: [...currencies],
      settings: z.toJSONSchema(settings, { io: "input" }),
      secrets: z.toJSONSchema(secrets, { io: "input" }),
    }),
  );
}
