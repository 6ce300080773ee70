import type { Dispatcher } from "undici";
import { expect, test, vi } from "vitest";
import type { Connection } from "./connection-pool.ts";
import { sendRequest } from "./send-request.ts";

/** A connection whose answers the test gives by hand. */
function start() {
  const abort = vi.fn<(reason: Error) => void>();
  const controller = { abort } as unknown as Dispatcher.DispatchController;
  let handler: Dispatcher.DispatchHandler = {};
  const client = {
    dispatch(_options: unknown, given: Dispatcher.DispatchHandler) {
      handler = given;
      given.onRequestStart?.(controller, undefined);
      return true;
    },
  };
  const request = { path: "/", headers: {}, body: Buffer.from("{}") };
  const result = sendRequest({ client } as unknown as Connection, request, { headersTimeoutMs: 50 });
  return {
    abort,
    result,
    head: (status: number) => handler.onResponseStart?.(controller, status, {}),
    data: (bytes: number) => handler.onResponseData?.(controller, Buffer.alloc(bytes, "x")),
    end: () => handler.onResponseEnd?.(controller, {}),
    fail: () => handler.onResponseError?.(controller, new Error("reset")),
  };
}

test("a short answer is read whole and leaves the connection clean", async () => {
  const { result, head, data, end, abort } = start();
  head(200);
  data(1_024);
  end();
  expect(await result).toMatchObject({ kind: "answered", statusCode: 200, clean: true });
  expect(abort).not.toHaveBeenCalled();
});

test("one byte more than a KiB ends it at once; what still comes is not kept", async () => {
  const { result, head, data, abort } = start();
  head(500);
  data(1_000);
  data(25);
  data(5_000);
  expect(abort).toHaveBeenCalled();
  const answer = await result;
  expect(answer).toMatchObject({ kind: "answered", statusCode: 500, clean: false });
  expect(answer).toHaveProperty("snippet.length", 1_024);
});

test("an interim answer is none", async () => {
  const { result, head, abort } = start();
  head(103);
  expect(await result).toEqual({ kind: "timeout" });
  expect(abort).toHaveBeenCalledOnce();
});

test("a body that does not end is cut off after a moment, the answer counts", async () => {
  const { result, head, abort } = start();
  head(204);
  expect(await result).toMatchObject({ kind: "answered", statusCode: 204, clean: false });
  expect(abort).toHaveBeenCalledOnce();
});

test("a break before the headers is no answer; after them the answer stands", async () => {
  const before = start();
  before.fail();
  expect(await before.result).toEqual({ kind: "broken" });
  const after = start();
  after.head(200);
  after.fail();
  expect(await after.result).toMatchObject({ kind: "answered", statusCode: 200, clean: false });
});
