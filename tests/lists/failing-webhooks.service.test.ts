import { afterAll, beforeAll, expect, test } from "vitest";
import { startListSystem, type ListSystem } from "./list-system.ts";

let system: ListSystem;
beforeAll(async () => {
  system = await startListSystem();
  await system.start("webhook-dispatcher");
});
afterAll(() => system.close());

/** An endpoint that has failed for so many minutes, as the dispatchers would have reported it. */
async function fails(merchantId: string, minutes: number): Promise<void> {
  await system.query(
    `insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id)
     values ('${merchantId}', '${merchantId}', 'https://shop.example/hook', decode('01026b31', 'hex'), 'r')`,
  );
  await system.query(
    `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
     values ('${merchantId}', now() - ${minutes} * interval '1 minute', true, now())`,
  );
}

test("the endpoint that has failed longest is first, with the name of its merchant where there is one", async () => {
  const [{ merchantId: books }, { merchantId: shoes }] = [
    await system.openShop("Book Shop"),
    await system.openShop("Shoe Shop"),
  ];
  const gone = "0193a1b2-0000-7000-8000-000000000001";
  await fails(shoes, 5);
  await fails(books, 50);
  await fails(gone, 1);
  const { status, text } = await system.operate("GET", "/operator/webhook-endpoints");
  expect(status).toBe(200);
  const { items, total } = JSON.parse(text) as { items: Record<string, unknown>[]; total: number };
  expect(total).toBe(3);
  expect(items.map(({ merchantId, merchantName }) => [merchantId, merchantName])).toEqual([
    [books, "Book Shop"],
    [shoes, "Shoe Shop"],
    [gone, undefined],
  ]);
  expect(items[0]).toMatchObject({
    url: "https://shop.example/hook",
    health: { breaker: "open", failingSince: expect.any(String) },
  });
});
