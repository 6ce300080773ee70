import { eventually, startRawServer } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { BoundedHttpClient } from "./bounded-http-client.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
const ANSWERED = { kind: "answered", status: 200, bytes: Buffer.from("{}"), contentType: "text/plain" };
const INVALID = { kind: "unknown", reason: "invalid_answer" };

async function start(answerOf: (number: number) => string | string[]) {
  const server = await startRawServer(answerOf);
  const client = new BoundedHttpClient({ url: server.url, connectTimeoutMs: 60_000, connectionsMax: 1 });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const exchange = () =>
    client.exchange({ method: "POST", path: "/", body: "{}" }, new Date(Date.now() + 60_000));
  return { server, exchange };
}

test.each([
  ["100 before it", [CONTINUE + OK]],
  ["100 before it, in a packet of its own", [CONTINUE, OK]],
  [
    "100 in pieces",
    [
      "HTTP/1.1 1",
      "00 Continue\r",
      "\n\r",
      "\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConte",
      "nt-Length: 2\r\n\r\n{}",
    ],
  ],
  [
    "several of 100, 102 and 103 before it",
    [
      `${CONTINUE}${CONTINUE}HTTP/1.1 102 Processing\r\n\r\n`,
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`,
    ],
  ],
  [
    "a head of 60 KiB",
    [OK.replace("\r\n\r\n", `\r\n${`Set-Cookie: ${"a".repeat(1_010)}\r\n`.repeat(60)}\r\n`)],
  ],
])("an answer with %s is read, on a new and on a warm connection", async (_case, answer) => {
  const { server, exchange } = await start(() => answer);
  expect(await exchange()).toEqual(ANSWERED);
  expect(await exchange()).toEqual(ANSWERED);
  expect(server.connections()).toBe(1);
  expect(server.requests).toHaveLength(2);
});

test.each([
  [
    "a head without end",
    OK.replace("\r\n\r\n", `\r\n${`Set-Cookie: ${"a".repeat(1_010)}\r\n`.repeat(80)}\r\n`),
  ],
  ["interim answers without end", CONTINUE.repeat(1_000)],
  ["LF alone as the end of a line", OK.replaceAll("\r\n", "\n")],
  ["a folded header", OK.replace("\r\n\r\n", "\r\nA: b\r\n c\r\n\r\n")],
  ["a space before a colon", OK.replace("Content-Type:", "Content-Type :")],
  ["two ways to end", OK.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n")],
  ["two lengths", OK.replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\n")],
  ["a chunk that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"],
  [
    "a protocol that was not asked for",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
  ],
  ["a body of 70 kB", `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${"a".repeat(70_000)}`],
  ["something else than HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
])("an answer with %s is an invalid one, and its call is made once", async (_case, broken) => {
  const { server, exchange } = await start((number) => (number === 1 ? broken : OK));
  expect(await exchange()).toEqual(ANSWERED);
  expect(await exchange()).toEqual(INVALID);
  expect(server.requests).toHaveLength(2);
  expect(await exchange()).toEqual(ANSWERED);
});

test("what a bank sends unasked is no answer to the next call", async () => {
  const { server, exchange } = await start(() => OK);
  expect(await exchange()).toEqual(ANSWERED);
  server.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate");
  await eventually(() => expect(server.open()).toBe(0));
  expect(await exchange()).toEqual(ANSWERED);
  expect(server.connections()).toBe(2);
});
