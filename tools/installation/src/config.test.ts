import { parseConfig } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { keepStreamSchema } from "./config.ts";

const keeperWith = (ackWait: string) =>
  parseConfig(keepStreamSchema, {
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    NATS_URL: "nats://localhost:4222",
    WEBHOOK_ACK_WAIT: ackWait,
  });

test("the stream waits longer than the second after which a dispatcher says again what it has", () => {
  expect(() => keeperWith("1999ms")).toThrow("WEBHOOK_ACK_WAIT: must be a duration");
  expect(keeperWith("2s").WEBHOOK_ACK_WAIT).toBe(2_000);
});
