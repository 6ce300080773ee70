import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { http, parseRaw, sendRaw } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { HEAD, JSON_HEAD, startTestListener as setUp, until } from "../../test/test-listener.ts";
import { CLIENT_TIMEOUTS } from "./listener.ts";
import { Refusal } from "./refusal.ts";

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
    expect(bodies.filter((body) => Buffer.isBuffer(body))).toEqual([]);
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
      timeouts: { ...CLIENT_TIMEOUTS, headersTimeout: 100, connectionsCheckingInterval: 20 },
    });
    expectProblem(parseRaw(await sendRaw(port, "GET /ok HTTP/1.1\r\nHost: local")), "request_timeout");
  });

  test("a body that does not arrive in time, as the answer to its own request", async () => {
    const timeouts = {
      ...CLIENT_TIMEOUTS,
      headersTimeout: 1_000,
      requestTimeout: 1_500,
      connectionsCheckingInterval: 20,
    };
    const { port, lines, bodies } = await setUp({ timeouts });
    const answer = parseRaw(
      await sendRaw(port, `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 10\r\n\r\n{"a"`),
    );
    expectProblem(answer, "request_timeout");
    await until(() => lines.length > 0);
    expect(bodies).toEqual([new Refusal("malformed_request")]);
  });

  test("a request under way whose body does not arrive in time, once and for all", async () => {
    const timeouts = {
      ...CLIENT_TIMEOUTS,
      headersTimeout: 1_000,
      requestTimeout: 1_500,
      connectionsCheckingInterval: 20,
    };
    const { port, lines, answerHeld } = await setUp({ timeouts });
    const text = await sendRaw(port, `GET /held HTTP/1.1\r\n${HEAD}Content-Length: 10\r\n\r\n`);
    answerHeld();
    expectProblem(parseRaw(text), "request_timeout");
    expect(lines).toMatchObject([{ code: "request_timeout", statusCode: 408 }]);
  });

  test("however much of it is sent", async () => {
    const { port } = await setUp();
    expectProblem(
      parseRaw(await sendRaw(port, "hello\r\n\r\n", Buffer.alloc(4_000_000, "x"))),
      "malformed_request",
    );
  });

  test("however long the client would go on after the answer", async () => {
    const { port } = await setUp();
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const refused = once(socket, "close").catch((error: NodeJS.ErrnoException) => error.code);
    socket.on("data", () => {});
    socket.write("hello\r\n\r\n");
    const dripping = setInterval(() => socket.write("x"), 20);
    onTestFinished(() => clearInterval(dripping));
    expect(["ECONNRESET", "EPIPE"]).toContain(await refused);
  });

  test("and not where the client has only gone away", async () => {
    const { port, lines } = await setUp();
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /ok HTTP/1.1\r\n");
    await http(port, { path: "/ok" });
    socket.resetAndDestroy();
    await once(socket, "close");
    await http(port, { path: "/ok" });
    await until(() => lines.length >= 2);
    expect(lines).toMatchObject([{ statusCode: 200 }, { statusCode: 200 }]);
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
    expect(CLIENT_TIMEOUTS).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 14_000,
      uploadTimeout: 0,
      answerTimeout: 15_000,
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
