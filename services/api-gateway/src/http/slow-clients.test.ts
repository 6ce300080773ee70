import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseRaw, sendRaw } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { HEAD, JSON_HEAD, startTestListener, until } from "../../test/test-listener.ts";
import { CLIENT_TIMEOUTS } from "./listener.ts";

/** A listener that looks at its clients often, with only those time-outs that are given. */
function setUp(given: Partial<typeof CLIENT_TIMEOUTS>) {
  const off = { headersTimeout: 0, requestTimeout: 0 };
  return startTestListener({
    timeouts: { ...CLIENT_TIMEOUTS, connectionsCheckingInterval: 20, ...off, ...given },
  });
}

const HEADERS_TIMEOUT = { headersTimeout: 100 };
const REQUEST_TIMEOUT = { requestTimeout: 200 };
const LONG_UPLOADS = { ...REQUEST_TIMEOUT, uploadTimeout: 60_000 };
const ANSWER_TIMEOUT = { answerTimeout: 200 };

/** Sends one byte every few milliseconds, forever. @returns all that comes back until the server ends it. */
async function drip(port: number, start: string, byte: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => (text += String(chunk)));
  socket.on("error", () => {});
  // `once` would fail with the reset that a byte sent after the answer may bring.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(start);
  const dripping = setInterval(() => socket.write(byte), 5);
  onTestFinished(() => {
    clearInterval(dripping);
    socket.destroy();
  });
  await closed;
  return text;
}

describe("a client is cut off with a 408", () => {
  test("that says nothing at all", async () => {
    const { port } = await setUp(HEADERS_TIMEOUT);
    expectProblem(parseRaw(await sendRaw(port)), "request_timeout");
  });

  test("that sends its headers byte by byte", async () => {
    const { port } = await setUp(HEADERS_TIMEOUT);
    expectProblem(parseRaw(await drip(port, `GET /ok HTTP/1.1\r\n${HEAD}X-Slow: `, "x")), "request_timeout");
  });

  test("that sends one header after the other without an end", async () => {
    const { port } = await setUp(HEADERS_TIMEOUT);
    const text = await drip(port, `GET /ok HTTP/1.1\r\n${HEAD}`, "X-Slow: x\r\n");
    expectProblem(parseRaw(text), "request_timeout");
  });

  test.each([
    ["of a declared length", "Content-Length: 30000\r\n\r\n{", " ", REQUEST_TIMEOUT],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", REQUEST_TIMEOUT],
    ["where uploads may take longer", "Content-Length: 30000\r\n\r\n{", " ", LONG_UPLOADS],
  ])("that sends its body byte by byte, %s", async (_case, start, byte, timeouts) => {
    const { port } = await setUp(timeouts);
    const text = await drip(port, `POST /body HTTP/1.1\r\n${JSON_HEAD}${start}`, byte);
    expectProblem(parseRaw(text), "request_timeout");
  });

  test("that begins another request on a connection and does not end it", async () => {
    const { port } = await setUp({ headersTimeout: 1_000 });
    const text = await drip(port, `GET /ok HTTP/1.1\r\n${HEAD}\r\nGET /ok HTTP/1.1\r\nX-Slow: `, "x");
    const second = text.slice(text.indexOf("HTTP/1.1", 1));
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expectProblem(parseRaw(second), "request_timeout");
  });
});

describe("an upload", () => {
  const upload = `POST /upload HTTP/1.1\r\n${HEAD}Content-Length: `;

  test("may take longer than other requests", async () => {
    const { port, uploads } = await setUp(LONG_UPLOADS);
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(`${upload}2\r\n\r\na`);
    await until(() => uploads.length === 1);
    // A body that began later is already late.
    await drip(port, `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 30000\r\n\r\n{`, " ");
    socket.write("b");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(parseRaw(answer.toString())).toMatchObject({ status: 200 });
  });

  test("is cut off by a limit of its own", async () => {
    const { port } = await setUp({ requestTimeout: 100, uploadTimeout: 200 });
    expectProblem(parseRaw(await drip(port, `${upload}30000\r\n\r\n`, " ")), "request_timeout");
  });
});

test("a client that does not take its answer is cut off", async () => {
  const { port, held, lines } = await setUp(ANSWER_TIMEOUT);
  const socket = await ask(port);
  await until(() => held.length === 1);
  held[0]!.answer(200, undefined, "x".repeat(LARGER_THAN_KERNEL_BUFFERS));
  await until(() => lines.length === 1);
  // The kernel's buffers have the part that was sent, which is less than all of it.
  let length = 0;
  socket.on("data", (chunk: Buffer) => (length += chunk.length)).resume();
  await once(socket, "close");
  expect(length).toBeLessThan(LARGER_THAN_KERNEL_BUFFERS);
});

test("and one that takes it in time keeps its connection", async () => {
  // A machine with twenty times the work takes longer than a second to read; then it has more time.
  let next: Awaited<ReturnType<typeof askAgainAfterTaking>>;
  for (let answerTimeout = 1_000; next === undefined; answerTimeout *= 4) {
    next = await askAgainAfterTaking(answerTimeout);
  }
  expect(next).toEqual({ statusCode: 200, reusedSocket: true });
});

/** @returns nothing if this machine was too slow to read the answer in time. */
async function askAgainAfterTaking(answerTimeout: number) {
  const { port, held } = await startTestListener({ timeouts: { ...CLIENT_TIMEOUTS, answerTimeout } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const client = httpRequest({ port, path: "/held", agent }).end();
  await until(() => held.length === 1);
  held[0]!.answer(200, undefined, "x".repeat(LARGER_THAN_KERNEL_BUFFERS / 8));
  const answeredAt = performance.now();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  await once(answer.resume(), "end").catch(() => {});
  if (performance.now() > answeredAt + answerTimeout / 2) return undefined;
  await until(() => performance.now() > answeredAt + 2 * answerTimeout);
  const next = httpRequest({ port, path: "/ok", agent }).end();
  const [second] = (await once(next, "response")) as [IncomingMessage];
  second.resume();
  return { statusCode: second.statusCode, reusedSocket: next.reusedSocket };
}

const LARGER_THAN_KERNEL_BUFFERS = 64 * 1024 * 1024;

/** A client that asks and reads nothing. */
async function ask(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`GET /held HTTP/1.1\r\n${HEAD}\r\n`);
  return socket;
}
