import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { captureLog } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { boundConnections } from "./bound-connections.ts";

const HERE = "127.0.0.1";
const THERE = "127.0.0.2";

/** A server with few places, whose requests are answered when the test says so. */
async function setUp(connectionsMax: number) {
  const { log, lines } = captureLog("console");
  const answers: ServerResponse[] = [];
  const server = createServer();
  const bound = boundConnections(server, { name: "console", connectionsMax, overTls: false, log });
  server.on("request", (request, response) => {
    bound.keepForAnswer(request, response);
    request.resume();
    answers.push(response);
  });
  server.listen(0, HERE);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const closed: string[] = [];
  const sockets: Socket[] = [];
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.closeAllConnections();
    server.close();
  });
  /** Opens a connection, which the server has seen when this resolves. */
  const open = async (name: string, localAddress = HERE, text = "") => {
    const seen = once(server, "connection");
    const socket = connect({ port, host: HERE, localAddress });
    sockets.push(socket);
    socket.on("error", () => {}).once("close", () => closed.push(name));
    socket.write(text);
    await seen;
    return socket;
  };
  const begin = async (name: string, localAddress: string, text = GET) => {
    const before = answers.length;
    const socket = await open(name, localAddress, text);
    await expect.poll(() => answers.length).toBe(before + 1);
    return { socket, answer: answers.at(-1)! };
  };
  return { open, begin, closed, lines };
}

const GET = "GET / HTTP/1.1\r\nHost: console\r\n\r\n";

test("the address with most connections loses the one that has been idle longest, and others notice nothing", async () => {
  const { open, closed, lines } = await setUp(4);
  await open("other", THERE);
  for (const name of ["first", "second", "third"]) await open(name);
  await open("another", THERE);
  await expect.poll(() => closed).toEqual(["first"]);
  await expect
    .poll(() => lines)
    .toMatchObject([{ level: "warn", msg: "too many connections", listener: "console", dropped: 1 }]);
});

test("a request that waits for its answer keeps its connection, and gives it back with the answer", async () => {
  const { open, begin, closed } = await setUp(2);
  const { socket, answer } = await begin("asking", HERE);
  await open("idle");
  await open("other", THERE);
  await expect.poll(() => closed).toEqual(["idle"]);
  const answered = once(socket.resume(), "data");
  answer.end("{}");
  await answered;
  await open("another", THERE);
  await open("last", HERE);
  await expect.poll(() => closed).toEqual(["idle", "other", "asking"]);
});

test("where every connection waits for its answer, a new one is closed", async () => {
  const { open, begin, closed } = await setUp(1);
  await begin("asking", HERE);
  await open("new", THERE);
  await expect.poll(() => closed).toEqual(["new"]);
});

test("a body that does not arrive keeps no connection", async () => {
  const { open, begin, closed } = await setUp(1);
  await begin("slow", HERE, "POST / HTTP/1.1\r\nHost: console\r\nContent-Length: 9\r\n\r\n{");
  await open("new", THERE);
  await expect.poll(() => closed).toEqual(["slow"]);
});

test("a body that has arrived does, until it is answered", async () => {
  const { open, begin, closed } = await setUp(1);
  const { answer } = await begin(
    "whole",
    HERE,
    "POST / HTTP/1.1\r\nHost: console\r\nContent-Length: 1\r\n\r\n1",
  );
  await expect.poll(() => answer.req.complete).toBe(true);
  await open("new", THERE);
  await expect.poll(() => closed).toEqual(["new"]);
});

test("an answer that is not taken keeps no connection", async () => {
  const { open, begin, closed } = await setUp(1);
  const { socket, answer } = await begin("slow", HERE);
  socket.pause();
  answer.end("x".repeat(LARGER_THAN_KERNEL_BUFFERS));
  await open("new", THERE);
  socket.resume();
  await expect.poll(() => closed).toEqual(["slow"]);
});

const LARGER_THAN_KERNEL_BUFFERS = 64 * 1024 * 1024;
