import { expect, test, vi } from "vitest";
import type { Connection, ConnectionUse } from "./connection-pool.ts";
import { sendRequest, type PostRequest } from "./send-request.ts";

/** A connection whose answers the test gives by hand. */
function start(request: Partial<PostRequest> = {}) {
  let use: ConnectionUse | undefined;
  const write = vi.fn<(bytes: Buffer) => void>();
  const connection = { socket: { write }, use: (given?: ConnectionUse) => void (use = given) };
  const result = sendRequest(
    connection as unknown as Connection,
    { path: "/", headers: { host: "shop.test" }, body: Buffer.from("{}"), ...request },
    { headersTimeoutMs: 50 },
  );
  return {
    result,
    write,
    data: (bytes: string) => use?.data(Buffer.from(bytes, "latin1")),
    close: () => use?.closed(),
    isUsed: () => use !== undefined,
  };
}

const head = (status: number, ...fields: string[]) =>
  [`HTTP/1.1 ${status} Status`, ...fields, "", ""].join("\r\n");

test("head and body go out in one piece", () => {
  const { write } = start({ path: "/a?b=c", headers: { host: "shop.test", "content-length": "2" } });
  expect(write.mock.calls.map(([bytes]) => bytes.toString())).toEqual([
    "POST /a?b=c HTTP/1.1\r\nhost: shop.test\r\ncontent-length: 2\r\n\r\n{}",
  ]);
});

test.each([
  ["a value with a line end", { a: "b\r\nc: d" }],
  ["a value with a bare line feed", { a: "b\nc" }],
  ["a value beyond ASCII", { a: "ş" }],
])("%s is never sent", async (_case, headers) => {
  const { result, write } = start({ headers });
  await expect(result).rejects.toThrow(TypeError);
  expect(write).not.toHaveBeenCalled();
});

test("a short answer is read whole and leaves the connection clean", async () => {
  const { result, data, isUsed } = start();
  data(head(200, "Content-Length: 1024"));
  data("x".repeat(1_024));
  expect(await result).toMatchObject({ kind: "answered", statusCode: 200, keepAliveMs: Infinity });
  expect(isUsed()).toBe(false);
});

test("the peer says how long it keeps the connection, or that it does not", async () => {
  for (const [fields, keepAliveMs] of [
    [["Keep-Alive: max=5, timeout=7"], 7_000],
    [["Connection: close"], 0],
  ] as const) {
    const { result, data } = start();
    data(head(204, ...fields));
    expect(await result).toMatchObject({ kind: "answered", keepAliveMs });
  }
});

test("one byte more than a KiB ends it; what still comes is not kept", async () => {
  const { result, data } = start();
  data(head(500, "Content-Length: 6025"));
  data("x".repeat(1_000));
  data("x".repeat(25));
  data("x".repeat(5_000));
  const answer = await result;
  expect(answer).toMatchObject({ kind: "answered", statusCode: 500, keepAliveMs: 0 });
  expect(answer).toHaveProperty("snippet.length", 1_024);
});

test("an interim answer is none", async () => {
  const { result, data } = start();
  data(head(100) + head(103, "Link: </a>"));
  expect(await result).toEqual({ kind: "timeout" });
});

test("a body that does not end is cut off after a moment, the answer counts", async () => {
  const { result, data } = start();
  data(head(202));
  expect(await result).toMatchObject({ kind: "answered", statusCode: 202, keepAliveMs: 0 });
});

test("a break before the headers is no answer; after them the answer stands", async () => {
  const before = start();
  before.close();
  expect(await before.result).toEqual({ kind: "broken", hasBegun: false });
  const within = start();
  within.data("HTTP/1.1 20");
  within.close();
  expect(await within.result).toEqual({ kind: "broken", hasBegun: true });
  const after = start();
  after.data(head(200, "Content-Length: 5"));
  after.close();
  expect(await after.result).toMatchObject({ kind: "answered", statusCode: 200, keepAliveMs: 0 });
});
