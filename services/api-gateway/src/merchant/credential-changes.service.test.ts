import { credentialsChanged } from "@holdfast/contracts";
import { connectBus } from "@holdfast/messaging";
import { eventually } from "@holdfast/tests/support";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { http } from "../../test/http-client.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

/** Two gateways of three listeners each on one database and one bus. The operator speaks to the first, the merchant has signed in at both. */
async function setUp({ cacheTtl }: { cacheTtl: string }) {
  const gateway = await startTestGateway({ CREDENTIAL_CACHE_TTL: cacheTtl });
  onTestFinished(() => gateway.stop());
  const other = await gateway.startAnother();
  const merchant = await gateway.createMerchant();
  const statuses = async () => {
    const request = { path: "/api/nowhere", headers: merchant.headers };
    const answers = await Promise.all([gateway.merchantApi(request), http(other.merchant, request)]);
    return answers.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([404, 404]);
  return { gateway, merchant, statuses };
}

function revoke(gateway: TestGateway, { merchantId, apiKey }: TestMerchant) {
  const path = `/operator/merchants/${merchantId}/credentials/${apiKey}`;
  return gateway.operatorApi({ method: "DELETE", path });
}

function setStatus(gateway: TestGateway, { merchantId }: TestMerchant, status: "ACTIVE" | "SUSPENDED") {
  return gateway.operatorApi({
    method: "PATCH",
    path: `/operator/merchants/${merchantId}`,
    body: JSON.stringify({ status }),
  });
}

const UNAUTHORIZED = [401, 401];
const SIGNED_IN = [404, 404];

describe("while the bus is there, every merchant API learns before its cache is too old", () => {
  // No cache ever is: its clock stands still.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("of a revocation", async () => {
    const { gateway, merchant, statuses } = await setUp({ cacheTtl: "10s" });
    expect((await revoke(gateway, merchant)).status).toBe(204);
    await eventually(async () => expect(await statuses()).toEqual(UNAUTHORIZED));
  });

  test("of a suspension, and of its end", async () => {
    const { gateway, merchant, statuses } = await setUp({ cacheTtl: "10s" });
    expect((await setStatus(gateway, merchant, "SUSPENDED")).status).toBe(200);
    await eventually(async () => expect(await statuses()).toEqual(UNAUTHORIZED));
    expect((await setStatus(gateway, merchant, "ACTIVE")).status).toBe(200);
    await eventually(async () => expect(await statuses()).toEqual(SIGNED_IN));
  });

  test("after the bus was away, too", async () => {
    const { gateway, merchant, statuses } = await setUp({ cacheTtl: "10s" });
    await gateway.nats.kill();
    await gateway.nats.restart();
    await eventually(async () => {
      const answer = await http(gateway.ports.health, { path: "/readyz" });
      return answer.status === 200;
    });
    await eventually(async () => {
      await revoke(gateway, merchant);
      expect(await statuses()).toEqual(UNAUTHORIZED);
    });
  });
});

describe("while the bus is down, every merchant API knows when its cache is too old", () => {
  test.each([
    ["a revocation", revoke],
    [
      "a suspension",
      (gateway: TestGateway, merchant: TestMerchant) => setStatus(gateway, merchant, "SUSPENDED"),
    ],
  ])("of %s", async (_case, change) => {
    const { gateway, merchant, statuses } = await setUp({ cacheTtl: "2s" });
    await gateway.nats.kill();
    expect((await change(gateway, merchant)).status).toBeLessThan(300);
    await eventually(async () => expect(await statuses()).toEqual(UNAUTHORIZED));
  });
});

test("the notice names the merchant and nothing else, and one that cannot be read harms nobody", async () => {
  const { gateway, merchant, statuses } = await setUp({ cacheTtl: "10s" });
  const bus = await connectBus({ url: gateway.nats.url, name: "listener" });
  onTestFinished(() => bus.close(1_000));
  const seen: string[] = [];
  const { subject } = credentialsChanged;
  bus.nats.subscribe("gateway.>", {
    callback: (_error, message) => void seen.push(`${message.subject} ${message.string()}`),
  });
  for (const text of ["", "{", "null", '{"merchantId": "x"}']) bus.nats.publish(subject, text);
  await bus.nats.flush();
  expect(await statuses()).toEqual(SIGNED_IN);
  seen.length = 0;
  await revoke(gateway, merchant);
  await eventually(() =>
    expect(seen).toEqual([`gateway.credentials.changed {"merchantId":"${merchant.merchantId}"}`]),
  );
});
