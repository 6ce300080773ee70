import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TcpProxy } from "./tcp-proxy.ts";

let server: Server;
let proxy: TcpProxy;
let sockets: Socket[];
let received: string;

/** The server answers each piece with the same in upper case. */
beforeEach(async () => {
  sockets = [];
  received = "";
  server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      socket.write(text.toUpperCase());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await TcpProxy.start((server.address() as AddressInfo).port);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await proxy.close();
  server.close();
});

async function client(): Promise<Socket> {
  const socket = dial();
  await once(socket, "connect");
  return socket;
}

function dial(): Socket {
  const socket = connect(proxy.port, "127.0.0.1")
    .setEncoding("utf8")
    .on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = (await once(socket, "data")) as [string];
  return answer;
}

test("passes bytes both ways, and an orderly end", async () => {
  const socket = await client();
  expect(await say(socket, "hello")).toBe("HELLO");
  socket.end();
  await closed(socket);
  expect(socket.errored).toBeNull();
});

test("a black hole holds what is sent and tells nobody; it arrives once the link is healed", async () => {
  const socket = await client();
  await say(socket, "a");
  await proxy.set({ kind: "blackhole" });
  const answer = say(socket, "b");
  const another = await client();
  const anotherAnswer = say(another, "c");
  expect(received).toBe("a");
  await proxy.heal();
  expect([await answer, await anotherAnswer]).toEqual(["B", "C"]);
});

test("half-open: the request arrives, its answer only once the link is healed", async () => {
  const socket = await client();
  await say(socket, "a");
  await proxy.set({ kind: "half_open" });
  const answer = say(socket, "b");
  await expect.poll(() => received).toBe("ab");
  await proxy.heal();
  expect(await answer).toBe("B");
});

test("a delay holds each piece for its time", async () => {
  const socket = await client();
  await proxy.set({ kind: "delay", ms: 40 });
  const answer = say(socket, "a");
  // The question and its answer are a piece each.
  expect(await Promise.race([answer, delay(75, "nothing yet")])).toBe("nothing yet");
  expect(await answer).toBe("A");
});

test("a reset ends every connection, open ones and new ones", async () => {
  const socket = await client();
  await say(socket, "a");
  await proxy.set({ kind: "reset" });
  await closed(socket);
  expect(socket.errored).toMatchObject({ code: "ECONNRESET" });
  await closed(dial());
  await proxy.heal();
  expect(await say(await client(), "b")).toBe("B");
});

test("refuses connections as a server does that is not there, until it is healed", async () => {
  const socket = await client();
  await proxy.set({ kind: "refuse" });
  await closed(socket);
  const refused = dial();
  await closed(refused);
  expect(refused.errored).toMatchObject({ code: "ECONNREFUSED" });
  await proxy.heal();
  expect(await say(await client(), "b")).toBe("B");
});

test("a server that is not there resets its clients", async () => {
  server.close();
  for (const socket of sockets) socket.destroy();
  const socket = await client();
  await closed(socket);
  expect(socket.errored).toMatchObject({ code: "ECONNRESET" });
});

/** Unlike `once`, whether or not there was an error before. */
async function closed(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once("close", resolve));
}
