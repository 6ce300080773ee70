import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { cardBody, startTestSimulator } from "./test/test-simulator.ts";
import { notificationModes } from "./notifications.ts";

const KEY = "the key of notifications";

/** A gateway that accepts and keeps every notification. */
async function startGateway() {
  const got: { body: { reference: string; outcome: string }; isGenuine: boolean }[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const isGenuine =
        request.headers["x-sim-signature"] === createHmac("sha256", KEY).update(text).digest("hex");
      got.push({ body: JSON.parse(text) as { reference: string; outcome: string }, isGenuine });
      response.end();
      for (const look of waiting) look();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/bank-notifications/of-an-account`,
    got,
    hasGot: async (count: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => void (got.length >= count && resolve());
      waiting.add(look);
      look();
      await promise;
      return got
        .map(({ body: { outcome }, isGenuine }) => `${isGenuine ? "" : "forged "}${outcome}`)
        .toSorted();
    },
  };
}

test.each([
  ["on", ["approved"]],
  ["early", ["received"]],
  ["twice", ["approved", "received"]],
  ["forged", ["forged approved"]],
] satisfies [(typeof notificationModes)[number], string[]][])(
  "a bank whose notifications are %s sends of a sale %o",
  async (mode, outcomes) => {
    const gateway = await startGateway();
    await using bank = await startTestSimulator();
    const { status, body } = await bank.post("/notifications", { url: gateway.url, key: KEY, mode }, "PUT");
    expect({ status, body }).toEqual({ status: 200, body: {} });
    const sale = cardBody();
    expect((await bank.post("/v1/sale", sale)).body).toMatchObject({ outcome: "approved" });
    expect(await gateway.hasGot(outcomes.length)).toEqual(outcomes);
    expect(gateway.got[0]!.body.reference).toBe(sale.reference);
  },
);

test("of what was accepted only it sends one with the decision", async () => {
  const gateway = await startGateway();
  await using bank = await startTestSimulator();
  await bank.post("/notifications", { url: gateway.url, key: KEY }, "PUT");
  await bank.post("/faults", { operation: "sale", behaviour: "pending" });
  const { reference } = cardBody();
  await bank.post("/v1/sale", cardBody({ reference }));
  await bank.post("/decisions", { reference, outcome: "declined" });
  expect(await gateway.hasGot(1)).toEqual(["declined"]);
});

test("a target that is none is refused by its fields", async () => {
  await using bank = await startTestSimulator();
  expect(await bank.post("/notifications", { url: "telex", key: "short" }, "PUT")).toMatchObject({
    status: 400,
    body: { fields: ["url", "key"] },
  });
});
