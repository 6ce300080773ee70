import { createHmac } from "node:crypto";

import { expect, test } from "vitest";

import { startReceiver } from "../../core/test/test-bank.ts";
import { cardBody, startTestSimulator } from "./test/test-simulator.ts";
import { notificationModes } from "./notifications.ts";

const KEY = "the key of notifications";

/** A gateway that accepts and keeps every notification. */
async function startGateway() {
  const { received, url } = await startReceiver();
  const hasGot = async (count: number) => {
    await expect.poll(() => received).toHaveLength(count);
    return received
      .map(({ headers, body }) => {
        const { outcome } = JSON.parse(body) as { outcome: string };
        const signature = createHmac("sha256", KEY).update(body).digest("hex");
        return `${headers["x-sim-signature"] === signature ? "" : "forged "}${outcome}`;
      })
      .toSorted();
  };
  return { received, url, hasGot };
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
    expect(JSON.parse(gateway.received[0]!.body)).toMatchObject({ reference: sale.reference });
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
