import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import { insertPayments, insertRefunds } from "./list-rows.ts";
import { readAll, startListSystem, type ListSystem, type Shop } from "./list-system.ts";

/** More rows than fit into the buffers between the gateway and a client that does not read. */
const MANY = 40_000;
const FEW = 2_600;

let system: ListSystem;
let shop: Shop;
let bigShop: Shop;
beforeAll(async () => {
  system = await startListSystem({ CLIENT_ANSWER_TIMEOUT: "2s", EXPORTS_IN_FLIGHT_MAX: "1" });
  [shop, bigShop] = [await system.openShop(), await system.openShop()];
  await insertPayments(system.query, { merchantId: shop.merchantId, count: FEW });
  await insertRefunds(system.query, { merchantId: shop.merchantId, count: FEW / 5 });
  await insertPayments(system.query, { merchantId: bigShop.merchantId, count: MANY });
});
afterAll(() => system.close());

const CSV = { accept: "text/csv" };

/** An answer with an unread body. */
async function open(by: Shop, path: string): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const options = { port: system.merchantPort, path, headers: { ...by.headers, ...CSV }, agent: false };
    request({ host: "127.0.0.1", ...options }, resolve)
      .on("error", reject)
      .end();
  });
}

test("a CSV has every row of the list, in its order, and says how many they are", async () => {
  const items = await readAll((query) => system.get(shop, `/api/payments${query}`), "limit=200");
  const answer = await system.get(shop, "/api/payments", CSV);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(answer.headers.get("content-disposition")).toMatch(
    /^attachment; filename="payments-\d{8}T\d{6}Z\.csv"$/,
  );
  const [header, ...lines] = answer.text.trimEnd().split("\r\n");
  expect(header).toMatch(/^paymentId,parentPaymentId,orderId,amount,/);
  const end = lines.pop();
  expect(lines.map((line) => line.split(",")[0])).toEqual(items.map(({ paymentId }) => paymentId));
  expect(end).toMatch(new RegExp(`^#rows,${FEW * 1.2},+$`));
});

test("an export has what the same search lists, named by its range; Excel gets its byte order mark", async () => {
  const to = "2026-01-01T00:00:00Z";
  const bounded = await system.get(shop, `/api/payments?status=FAILED&bom=1&to=${to}`, CSV);
  expect(bounded.headers.get("content-disposition")).toContain('"payments-to-20260101T000000Z.csv"');
  const failed = await readAll(
    (query) => system.get(shop, `/api/payments${query}`),
    "limit=200&status=FAILED",
  );
  const { text: rows } = await system.get(shop, "/api/payments?status=FAILED", {
    accept: "application/x-ndjson",
  });
  const objects = rows
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(objects).toEqual([...failed, { rows: failed.length }]);
  const bytes = await fetch(`http://127.0.0.1:${system.merchantPort}/api/payments?bom=1&orderId=none`, {
    headers: { ...shop.headers, ...CSV },
  });
  expect([...new Uint8Array(await bytes.arrayBuffer()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
});

test.each(["limit=5", "cursor=x"])("%s has no place in an export, which has all rows", async (query) => {
  const { status, text: body } = await system.get(shop, `/api/payments?${query}`, CSV);
  expect(status).toBe(400);
  expect(JSON.parse(body)).toMatchObject({ errors: [{ field: query.split("=")[0], code: "not_allowed" }] });
});

test("a HEAD reads no rows, and leaves the place of its export to others", async () => {
  const head = await fetch(`http://127.0.0.1:${system.merchantPort}/api/payments`, {
    method: "HEAD",
    headers: { ...bigShop.headers, ...CSV },
  });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect((await system.get(shop, "/api/payments?orderId=order-1", CSV)).status).toBe(200);
});

test("a client that stops reading is cut off without the last row, and until then nobody else's export begins", async () => {
  const stalled = await open(bigShop, "/api/payments");
  const failure = new Promise<Error>((resolve) => stalled.once("error", resolve));
  expect((await system.get(shop, "/api/payments", CSV)).status).toBe(503);
  await eventually(async () => expect((await system.get(shop, "/api/payments", CSV)).status).toBe(200));
  const read = text(stalled);
  expect((await failure).message).toBe("aborted");
  await expect(read).rejects.toThrow("aborted");
});

test("an export whose next page nobody can read is cut off, and never looks whole", async () => {
  const answer = await open(bigShop, "/api/payments");
  await system.paymentsService.stop();
  await expect(text(answer)).rejects.toThrow("aborted");
  await system.start("payments");
  const { text: whole } = await system.get(bigShop, "/api/payments", CSV);
  expect(whole).toMatch(new RegExp(`\r\n#rows,${MANY},+\r\n$`));
});
