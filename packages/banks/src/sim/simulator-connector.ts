import { z } from "zod";
import { REPETITIONS, type AcquirerConnector } from "@holdfast/acquirer";
import { BoundedHttpClient } from "@holdfast/acquirer/kit";
import {
  readSimulatorNotification,
  simulatorSecrets,
  type SimulatorSecrets,
} from "./simulator-notification.ts";
import { createSimulatorAcquirer, simulatorCapabilities } from "./simulator.ts";

const settings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .describe("The simulator's address."),
  repetition: z
    .enum(REPETITIONS)
    .default("replay")
    .describe("What it does with a call that it gets twice, as its mode `repetition` says."),
});

export type SimulatorSettings = z.infer<typeof settings>;

const terminal = { settings: ["url"], secrets: [] } as const;

/** Our own simulator's protocol. Its calls need no credentials; its notifications have a key. */
export const simulatorConnector: AcquirerConnector<SimulatorSettings, SimulatorSecrets> = {
  protocol: "sim",
  settings,
  secrets: simulatorSecrets,
  terminal,
  currencies: [],
  capabilities: ({ repetition }) => simulatorCapabilities(repetition),
  connect({ settings: { url, repetition } }, _secrets, wire) {
    const acquirer = createSimulatorAcquirer({ url, repetition, ...wire });
    const client = new BoundedHttpClient({ url, ...wire, connectionsMax: 1 });
    return {
      ...acquirer,
      async probe(waitUntil) {
        const exchange = await client.exchange({ method: "GET", path: "/livez" }, waitUntil);
        if (exchange.kind === "answered" && exchange.status === 200) return { kind: "ok" };
        const detail = exchange.kind === "answered" ? `answered ${exchange.status}` : exchange.kind;
        return { kind: "unreachable", detail };
      },
      close: async () => void (await Promise.all([acquirer.close(), client.close()])),
    };
  },
  readNotification: readSimulatorNotification,
};
