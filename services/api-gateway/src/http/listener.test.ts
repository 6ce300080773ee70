import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { Router } from "express";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { captureLog } from "../../test/captured-log.ts";
import { http, parseRaw, sendRaw } from "../../test/http-client.ts";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import type { Exchange } from "./exchange.ts";
import { HTTP_TIMEOUTS, startListener } from "./listener.ts";
import { readBody } from "./read-body.ts";
import type { Refusal } from "./refusal.ts";

/** A listener with routes that need no other service: `/held` is answered when the test says so, `/body` reads one. */
async function setUp({ timeouts = HTTP_TIMEOUTS } = {}) {
  const captured = captureLog();
  const held: Exchange[] = [];
  const bodies: (Buffer | Refusal)[] = [];
  const router = Router({ caseSensitive: true, strict: true });
  const handle = (path: string, handler: (request: IncomingMessage, exchange: Exchange) => unknown) =>
    router.all(path, handler as never);
  handle("/held", (_request, exchange) => held.push(exchange));
  handle("/ok", (_request, exchange) => exchange.answer(200, undefined, "{}"));
  handle("/items/:id", (_request, exchange) => exchange.answer(200, undefined, "{}"));
  const arrived: string[] = [];
  handle("/body", async (request, exchange) => {
    arrived.push(exchange.requestId);
    bodies.push(await readBody(request));
    exchange.answer(200, undefined, "{}");
  });
  handle("/throws", () => {
    throw new Error("a bug with the number 4111111111111111 in it");
  });
  handle("/rejects", async () => Promise.reject(new TypeError("a bug")));
  const listener = await startListener({
    name: "merchant",
    host: "127.0.0.1",
    port: 0,
    router,
    log: captured.log,
    timeouts,
  });
  onTestFinished(() => listener.stop(0));
  const answerHeld = () => held.shift()!.answer(200, undefined, '{"held": true}');
  return { ...captured, port: listener.port, listener, held, arrived, bodies, answerHeld };
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5, timeout: 5_000 }).toBe(true);
}

const HEAD = "Host: localhost\r\n";
const JSON_HEAD = `${HEAD}Content-Type: application/json\r\n`;

describe("what the HTTP parser refuses is answered as a problem", () => {
  test.each([
    ["no HTTP at all", "hello\r\n\r\n"],
    ["an unknown method", `BREW /ok HTTP/1.1\r\n${HEAD}\r\n`],
    [
      "Content-Length and Transfer-Encoding",
      `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["two lengths", `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ["a length that is no number", `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: +2\r\n\r\n{}`],
    ["white space before a colon", `GET /ok HTTP/1.1\r\n${HEAD}X-Name : x\r\n\r\n`],
    ["a folded header", `GET /ok HTTP/1.1\r\n${HEAD}X-Name: a\r\n b\r\n\r\n`],
    ["bare line feeds", "GET /ok HTTP/1.1\nHost: localhost\n\n"],
    ["a NUL in a header", `GET /ok HTTP/1.1\r\n${HEAD}X-Name: a\0b\r\n\r\n`],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    [
      "a chunk size that is none",
      `POST /body HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    [
      "an unknown transfer coding",
      `POST /body HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "a body cut short",
      `POST /body HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n`,
    ],
  ])("%s", async (_case, text) => {
    const { port, bodies } = await setUp();
    const answer = parseRaw(await sendRaw(port, text));
    expectProblem(answer, "malformed_request");
    expect(answer.headers).toMatchObject({
      connection: "close",
      "content-length": String(answer.text.length),
    });
    expect(bodies).toEqual([]);
  });

  test("headers that are too large", async () => {
    const { port } = await setUp();
    expectProblem(
      parseRaw(await sendRaw(port, `GET /ok HTTP/1.1\r\nX-Name: ${"x".repeat(20_000)}\r\n\r\n`)),
      "headers_too_large",
    );
  });

  test("headers that do not arrive in time", async () => {
    const { port } = await setUp({
      timeouts: { ...HTTP_TIMEOUTS, headersTimeout: 100, connectionsCheckingInterval: 20 },
    });
    expectProblem(parseRaw(await sendRaw(port, "GET /ok HTTP/1.1\r\nHost: local")), "request_timeout");
  });

  test("a body that does not arrive in time, as the answer to its own request", async () => {
    const timeouts = {
      ...HTTP_TIMEOUTS,
      headersTimeout: 100,
      requestTimeout: 200,
      connectionsCheckingInterval: 20,
    };
    const { port, lines, bodies } = await setUp({ timeouts });
    const answer = parseRaw(
      await sendRaw(port, `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 10\r\n\r\n{"a"`),
    );
    expectProblem(answer, "request_timeout");
    await until(() => lines.length > 0);
    expect(bodies).toEqual([]);
  });

  test("each leaves one line in the log", async () => {
    const { port, lines } = await setUp();
    const broken = parseRaw(await sendRaw(port, "hello\r\n\r\n"));
    const cut = parseRaw(
      await sendRaw(port, `POST /body HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    );
    await until(() => lines.length >= 2);
    expect(lines.map(({ code, statusCode, requestId }) => ({ code, statusCode, requestId }))).toEqual([
      { code: "malformed_request", statusCode: 400, requestId: broken.headers["x-request-id"] },
      { code: "malformed_request", statusCode: 400, requestId: cut.headers["x-request-id"] },
    ]);
  });

  test("the time-outs are shorter than Node's, and idle connections live longer than a load balancer's", () => {
    expect(HTTP_TIMEOUTS).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
    });
  });
});

describe("an answer to broken HTTP is never taken for another request's", () => {
  test("garbage behind a request under way waits for its answer, and ends the connection", async () => {
    const { port, held, answerHeld } = await setUp();
    const answered = sendRaw(port, `GET /held HTTP/1.1\r\n${HEAD}\r\ngarbage\r\n\r\n`);
    await until(() => held.length === 1);
    answerHeld();
    const answer = parseRaw(await answered);
    expect(answer).toMatchObject({ status: 200, text: '{"held": true}', headers: { connection: "close" } });
  });

  test("a broken body behind a request under way is answered after it", async () => {
    const { port, held, answerHeld } = await setUp();
    const answered = sendRaw(
      port,
      `GET /held HTTP/1.1\r\n${HEAD}\r\n`,
      `POST /body HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    await until(() => held.length === 1);
    answerHeld();
    const [first, second] = (await answered).split(/(?=HTTP\/1\.1 400)/);
    expect(parseRaw(first!)).toMatchObject({ status: 200, text: '{"held": true}' });
    expectProblem(parseRaw(second!), "malformed_request");
  });

  test("a body that turns out to be broken after the answer ends the connection without a second one", async () => {
    const { port } = await setUp();
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => (text += String(chunk)));
    socket.write(`POST /ok HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    await until(() => text !== "");
    socket.write("zz\r\n");
    await once(socket, "close");
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe("what Node or the router would answer by themselves", () => {
  test("a request without a host", async () => {
    const { port } = await setUp();
    expectProblem(
      parseRaw(await sendRaw(port, "GET /ok HTTP/1.1\r\nConnection: close\r\n\r\n")),
      "malformed_request",
    );
    expect(parseRaw(await sendRaw(port, "GET /ok HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  test("an expectation nobody knows is ignored", async () => {
    const { port } = await setUp();
    const answer = await http(port, { path: "/ok", headers: { Expect: "miracles" } });
    expect(answer.status).toBe(200);
    expectCommonHeaders(answer);
  });

  test.each(["/nowhere", "/ok/", "/OK", "/", "//ok", "/%6fk", "/ok%00"])(
    "there is no route %s",
    async (path) => {
      const { port } = await setUp();
      expectProblem(await http(port, { path }), "route_not_found");
    },
  );

  test("nor for a target that is no path", async () => {
    const { port } = await setUp();
    expectProblem(
      parseRaw(await sendRaw(port, `OPTIONS * HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`)),
      "route_not_found",
    );
    const odd = parseRaw(
      await sendRaw(port, `GET http://[bad/ok HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`),
    );
    expectProblem(odd, "route_not_found");
  });

  test.each(["/items/%", "/items/%zz", "/items/%c0%80"])("%s is not well percent-encoded", async (path) => {
    const { port, lines } = await setUp();
    expectProblem(await http(port, { path }), "malformed_request");
    await until(() => lines.length === 1);
    expect(JSON.stringify(lines)).not.toContain(path.slice("/items/".length));
  });

  test.each(["/throws", "/rejects"])("a bug at %s is told to nobody but the log", async (path) => {
    const { port, lines } = await setUp();
    const answer = await http(port, { path });
    expectProblem(answer, "internal_error");
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({
      level: "error",
      code: "internal_error",
      statusCode: 500,
      requestId: answer.headers["x-request-id"],
      error: { message: expect.stringContaining("a bug"), stack: expect.any(String) },
    });
  });

  test("the client's own request id is not taken", async () => {
    const { port } = await setUp();
    const answer = await http(port, { path: "/ok", headers: { "X-Request-Id": "mine" } });
    expectCommonHeaders(answer);
  });
});

test("the log line has the route's template and never the path", async () => {
  const { port, lines } = await setUp();
  await http(port, { path: "/4111111111111111?pan=4111111111111111" });
  await until(() => lines.length === 1);
  expect(JSON.stringify(lines)).not.toContain("4111");
  expect(lines[0]).toMatchObject({
    listener: "merchant",
    method: "GET",
    statusCode: 404,
    code: "route_not_found",
    durationMs: expect.any(Number),
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});

test("a client that goes away leaves a line that says so", async () => {
  const { port, lines, held } = await setUp();
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /held HTTP/1.1\r\n${HEAD}\r\n`);
  await until(() => held.length === 1);
  socket.resetAndDestroy();
  await until(() => lines.length === 1);
  expect(lines).toMatchObject([{ level: "info", outcome: "aborted" }]);
  expect(lines[0]).not.toHaveProperty("statusCode");
});

test("a body whose sender goes away is not read as a whole one", async () => {
  const { port, lines, arrived, bodies } = await setUp();
  for (const end of ["end", "resetAndDestroy"] as const) {
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 9\r\n\r\n{`);
    await until(() => arrived.length === lines.length + 1);
    socket.resume()[end]();
    await until(() => arrived.length === lines.length);
  }
  expect(lines).toHaveLength(2);
  expect(bodies).toEqual([]);
  expect(lines.map(({ level }) => level)).toEqual(["info", "info"]);
});

describe("stopping", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterEach(() => agent.destroy());

  test("lets requests under way be answered, asks their clients to go elsewhere, and takes no new ones", async () => {
    const { port, listener, held, answerHeld } = await setUp();
    const client = httpRequest({ port, path: "/held", agent }).end();
    await until(() => held.length === 1);
    const stopped = listener.stop(10_000);
    await expect(http(port, { path: "/ok" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    answerHeld();
    const [answer] = (await once(client, "response")) as [IncomingMessage];
    answer.resume();
    expect(answer).toMatchObject({ statusCode: 200, headers: { connection: "close" } });
    await stopped;
  });

  test("does not wait for connections on which nothing was asked", async () => {
    const { port, listener } = await setUp();
    const silent = connect(port, "127.0.0.1");
    await once(silent, "connect");
    const idle = httpRequest({ port, path: "/ok", agent }).end();
    const [answer] = (await once(idle, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    const started = performance.now();
    await listener.stop(10_000);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test("closes what is left when its time is over", async () => {
    const { port, listener, held } = await setUp();
    const client = httpRequest({ port, path: "/held", agent }).end();
    const reset = once(client, "error");
    await until(() => held.length === 1);
    await listener.stop(20);
    expect((await reset)[0]).toMatchObject({ code: "ECONNRESET" });
  });
});
