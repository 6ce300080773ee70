import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, scriptedGateway, socketError, withoutWaiting } from "../test/scripted-gateway.ts";
import { HoldfastError, type FetchAnswer } from "./index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAYMENT = "019f0000-0000-7000-8000-000000000001";
const page = (ids: number[], nextCursor?: string) => ({
  status: 200,
  body: { items: ids.map((id) => ({ paymentId: `p-${id}` })), ...(nextCursor && { nextCursor }) },
});
const csv = (body: string) => ({ status: 200, body, headers: { "Content-Type": "text/csv; charset=utf-8" } });
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}
const ids = async (list: AsyncIterable<{ paymentId: string }>) =>
  (await all(list)).map(({ paymentId }) => paymentId);
const textOf = async (file: AsyncIterable<string>) => (await all(file)).join("");

test("a list is read to its end, a page at a time, and a page that fails is asked for again", async () => {
  const steps = [page([1, 2], "c/1"), socketError("ECONNRESET"), page([], "c2"), page([3])];
  const { holdfast, asked } = scriptedGateway(steps);
  const list = holdfast.payments.list({ orderId: "A & B", status: undefined });
  expect(asked).toEqual([]);
  expect(await withoutWaiting(ids(list))).toEqual(["p-1", "p-2", "p-3"]);
  const search = "https://gateway.example/api/payments?limit=200&orderId=A+%26+B";
  expect(asked.map(({ url }) => url)).toEqual([
    search,
    `${search}&cursor=c%2F1`,
    `${search}&cursor=c%2F1`,
    `${search}&cursor=c2`,
  ]);
});

test("who stops reading asks for no further page", async () => {
  const { holdfast, asked } = scriptedGateway([page([1, 2], "c1")]);
  for await (const { paymentId } of holdfast.refunds.list(PAYMENT)) {
    expect(paymentId).toBe("p-1");
    break;
  }
  expect(asked.map(({ url }) => url)).toEqual([
    `https://gateway.example/api/payment/${PAYMENT}/refunds?limit=200`,
  ]);
});

test("a search that the gateway refuses is an error, and so is a page that is not the gateway's", async () => {
  const refused = scriptedGateway([problem(400, "validation_failed")]);
  await expect(ids(refused.holdfast.payments.list())).rejects.toMatchObject({ code: "validation_failed" });
  const portal = scriptedGateway([{ status: 200, body: { welcome: true } }], { retries: 0 });
  await expect(all(portal.holdfast.checkouts.list())).rejects.toMatchObject({
    code: "unexpected_answer",
  });
});

test("a file is all that the gateway wrote, with its byte order mark, after it was too busy once", async () => {
  const file = "\uFEFFpaymentId,amount\r\np-1,12.50\r\n#rows,1\r\n";
  const steps = [{ ...problem(503, "service_unavailable"), headers: { "Retry-After": "1" } }, csv(file)];
  const { holdfast, asked } = scriptedGateway(steps);
  expect(await withoutWaiting(textOf(holdfast.payments.exportCsv({ last4: "1111" }, { bom: true })))).toBe(
    file,
  );
  expect(asked[1]).toMatchObject({
    url: "https://gateway.example/api/payments?last4=1111&bom=1",
    headers: { Accept: expect.stringContaining("text/csv") },
  });
});

test.each([
  ["that is cut off within a row", "paymentId\r\np-1\r\np-"],
  ["without its last row", "paymentId\r\np-1\r\n"],
  ["whose last row is cut off", "paymentId\r\n#rows,1"],
  ["with nothing in it", ""],
])("a file %s is no file", async (_case, text) => {
  const { holdfast } = scriptedGateway([csv(text)]);
  const failure = textOf(holdfast.checkouts.exportCsv());
  await expect(failure).rejects.toBeInstanceOf(HoldfastError);
  await expect(failure).rejects.toMatchObject({ code: "incomplete_export", retryable: true });
});

test("a file whose connection breaks, or that stops coming, is no file", async () => {
  const breaks = bodyOf(() => Promise.reject(new TypeError("terminated")));
  await expect(textOf(breaks.file)).rejects.toMatchObject({ code: "incomplete_export" });
  expect(breaks.cancelled()).toBe(true);
  const stops = bodyOf((signal) => {
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  });
  await expect(withoutWaiting(textOf(stops.file))).rejects.toMatchObject({ code: "incomplete_export" });
});

/** A file that yields a first piece, and then the result of `next`. */
function bodyOf(next: (signal: AbortSignal) => Promise<{ done: boolean }>) {
  let cancelled = false;
  const { holdfast } = scriptedGateway([], {
    fetch: (_url, { signal }) => {
      const pieces = [Promise.resolve({ done: false, value: new TextEncoder().encode("paymentId\r\n") })];
      const body: FetchAnswer["body"] = {
        getReader: () => ({
          read: () => pieces.shift() ?? next(signal),
          cancel: async () => void (cancelled = true),
        }),
      };
      const headers = { get: (name: string) => (name === "Content-Type" ? "text/csv" : null) };
      return Promise.resolve({ status: 200, headers, body });
    },
  });
  return { file: holdfast.payments.exportCsv(), cancelled: () => cancelled };
}
