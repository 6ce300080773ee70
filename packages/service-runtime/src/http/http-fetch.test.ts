import { eventually, startRawServer } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { BrokenAnswerError } from "./answer-bounds.ts";
import { httpFetch } from "./http-fetch.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

async function start(answerOf: (number: number) => string | string[]) {
  const server = await startRawServer(answerOf);
  onTestFinished(() => server.close());
  return server;
}

test("interim answers are read and passed over, on a new and on a warm connection", async () => {
  const server = await start(() => [CONTINUE + CONTINUE, `HTTP/1.1 103 Early Hints\r\n\r\n${OK}`]);
  for (let count = 0; count < 2; count++) {
    const answer = await httpFetch(`${server.url}/a?b=c`, { method: "POST", body: "{}" });
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
  }
  expect(server.connections()).toBe(1);
  expect(server.requests[0]).toMatch(/^POST \/a\?b=c HTTP\/1\.1\r\n[^]*\r\n\r\n\{\}$/);
});

test("interim answers without end are an error", async () => {
  const server = await start(() => CONTINUE.repeat(1_000));
  await expect(httpFetch(server.url)).rejects.toBeInstanceOf(BrokenAnswerError);
});

test("a redirect is an answer", async () => {
  const server = await start(() => "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
  const { status, headers } = await httpFetch(server.url);
  expect([status, headers.get("location"), server.requests.length]).toEqual([302, "/b", 1]);
});

test("a form says that it is one, and a stream is sent in chunks", async () => {
  const server = await start(() => OK);
  await httpFetch(server.url, { method: "POST", body: new URLSearchParams({ a: "b c" }) });
  expect(server.requests[0]).toMatch(/content-type: application\/x-www-form-urlencoded[^]*\r\n\r\na=b\+c$/i);
  const parts = async function* () {
    await Promise.resolve();
    yield Buffer.from("one");
    yield Buffer.from("two");
  };
  await httpFetch(server.url, { method: "POST", body: parts() });
  expect(server.requests[1]).toMatch(/transfer-encoding: chunked/i);
});

test("a body that breaks off ends the request with its error", async () => {
  const server = await start(() => "");
  const broken = new Error("the file broke off");
  const parts = async function* () {
    yield Buffer.from("one");
    await Promise.reject(broken);
  };
  await expect(httpFetch(server.url, { method: "POST", body: parts() })).rejects.toBe(broken);
});

test("an answer that ends early is an error of its body", async () => {
  const server = await start(() => "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok");
  const answer = await httpFetch(server.url);
  const read = answer.text().catch((error: unknown) => error);
  await server.close();
  expect(await read).toBeInstanceOf(Error);
});

test("an answer whose chunks are none is an error of its body", async () => {
  const server = await start(() => [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
    "zz\r\n",
  ]);
  const answer = await httpFetch(server.url);
  await expect(answer.text()).rejects.toThrow();
});

test("what is aborted fails with the reason, before and during the answer", async () => {
  const server = await start((number) => (number === 0 ? "" : OK.replace("2", "3")));
  const reason = new DOMException("too late", "TimeoutError");
  const first = new AbortController();
  const waiting = httpFetch(server.url, { signal: first.signal }).catch((error: unknown) => error);
  await eventually(() => expect(server.requests).toHaveLength(1));
  first.abort(reason);
  expect(await waiting).toBe(reason);
  const second = new AbortController();
  const answer = await httpFetch(server.url, { signal: second.signal });
  const cut = answer.text().catch((error: unknown) => error);
  second.abort(reason);
  expect(await cut).toBe(reason);
  await eventually(() => expect(server.open()).toBe(0));
  await expect(httpFetch(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(server.requests).toHaveLength(2);
});
