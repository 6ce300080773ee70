import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { http, parseRaw, sendRaw } from "../../test/http-client.ts";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { HEAD, JSON_HEAD, startTestListener as setUp, until } from "../../test/test-listener.ts";
import { createClientAddress } from "@holdfast/http-server";
import { CLIENT_TIMEOUTS } from "./listener.ts";
import { Refusal } from "./refusal.ts";

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

describe("a connection that is kept", () => {
  test("may be idle for longer than a head may take to arrive", async () => {
    const timeouts = {
      ...CLIENT_TIMEOUTS,
      headersTimeout: 1_000,
      requestTimeout: 1_000,
      connectionsCheckingInterval: 10,
    };
    const { port } = await setUp({ timeouts });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = async () => {
      const client = httpRequest({ port, path: "/ok", agent }).end();
      const [answer] = (await once(client, "response")) as [IncomingMessage];
      await once(answer.resume(), "end");
      return { status: answer.statusCode, isKept: client.reusedSocket };
    };
    expect(await ask()).toEqual({ status: 200, isKept: false });
    // Three slow connections are cut off meanwhile, one after another.
    for (let count = 0; count < 3; count++) await sendRaw(port, "GET /ok HTTP/1.1\r\nHost: local");
    expect(await ask()).toEqual({ status: 200, isKept: true });
  });

  test("is closed once it has been idle for its time", async () => {
    const { port } = await setUp({ timeouts: { ...CLIENT_TIMEOUTS, keepAliveTimeout: 1 } });
    const text = await sendRaw(port, `GET /ok HTTP/1.1\r\n${HEAD}\r\n`);
    expect(parseRaw(text)).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
  });

  test("serves any number of requests: the load balancer decides when it has had enough", async () => {
    const { port } = await setUp();
    const last = `GET /ok HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;
    const text = await sendRaw(port, `GET /ok HTTP/1.1\r\n${HEAD}\r\n`.repeat(2_000) + last);
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2_001);
  });
});

test("one address with all connections shuts nobody out, and a payment under way at another keeps its own", async () => {
  const { port, lines, held, answerHeld } = await setUp({ connectionsMax: 4 });
  const paying = http(port, { path: "/held" });
  await until(() => held.length === 1);
  const idle = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
      onTestFinished(() => void socket.destroy());
      await once(socket, "connect");
      return socket;
    }),
  );
  await until(() => idle.filter((socket) => socket.resume().closed).length === 3);
  expect((await http(port, { path: "/ok" })).status).toBe(200);
  await until(() => lines.some(({ msg }) => msg === "too many connections"));
  answerHeld();
  expect((await paying).status).toBe(200);
});

test("the log line has the client's address", async () => {
  const { port, lines } = await setUp({ clientAddress: createClientAddress(["127.0.0.0/8"]) });
  await http(port, { path: "/ok", headers: { "X-Forwarded-For": "198.51.100.1, 203.0.113.9" } });
  await http(port, { path: "/ok" });
  await until(() => lines.length === 2);
  expect(lines).toMatchObject([{ clientAddress: "203.0.113.9" }, { clientAddress: "127.0.0.1" }]);
});

test("the log line has the route's template and never the path", async () => {
  const { port, lines } = await setUp();
  await http(port, { path: "/4111111111111111?pan=4111111111111111" });
  await until(() => lines.length === 1);
  expect(JSON.stringify(lines)).not.toContain("41111111");
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
  await until(() => bodies.length === 2);
  expect(bodies).toEqual([new Refusal("malformed_request"), new Refusal("malformed_request")]);
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

  test("does not wait for the rest of a request that has not begun to be answered", async () => {
    const { port, listener } = await setUp();
    const part = "GET /ok HTTP/1.1\r\nHost: local";
    const sockets = [part, `GET /ok HTTP/1.1\r\n${HEAD}\r\n${part}`].map((text) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(text);
      return socket;
    });
    await once(sockets[1]!, "data");
    // A time longer than the test may take.
    expect(await listener.stop(3_600_000)).toBeUndefined();
  });

  test("does not wait for connections on which nothing was asked", async () => {
    const { port, listener } = await setUp();
    const silent = connect(port, "127.0.0.1");
    await once(silent, "connect");
    const idle = httpRequest({ port, path: "/ok", agent }).end();
    const [answer] = (await once(idle, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    // A time longer than the test may take.
    expect(await listener.stop(3_600_000)).toBeUndefined();
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
