import { createServer, type AddressInfo } from "node:net";
import { request } from "node:http";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { AnswerReader } from "./read-answer.ts";

function read(...parts: string[]) {
  const reader = new AnswerReader();
  for (const part of parts) reader.push(Buffer.from(part, "latin1"));
  const { state, statusCode } = reader;
  return { state, statusCode, body: state === "broken" ? "" : reader.body.toString("latin1") };
}

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const field = (text: string) => OK.replace("\r\n\r\n", `\r\n${text}\r\n\r\n`);
const cookies = (count: number) => field(`Set-Cookie: ${"a".repeat(1_010)}\r\n`.repeat(count).trimEnd());

test.each([
  ["a length", OK, "ok"],
  ["100 before it", CONTINUE + OK, "ok"],
  [
    "several of 100, 102 and 103 before it",
    `${CONTINUE}HTTP/1.1 102 P\r\nA: b\r\n\r\n${CONTINUE}${OK}`,
    "ok",
  ],
  ["no reason", OK.replace(" OK", ""), "ok"],
  ["a reason that is empty", OK.replace(" OK", " "), "ok"],
  ["a value that is empty", field("A:"), "ok"],
  ["60 KiB of cookies", cookies(60), "ok"],
  ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\no\r\n1\r\nk\r\n0\r\n\r\n", "ok"],
  ["no content", "HTTP/1.1 204 No Content\r\n\r\n", ""],
])("an answer with %s is whole, in one piece and byte by byte", (_case, text, body) => {
  const whole = { state: "whole", statusCode: Number(/ (2\d\d)/.exec(text)![1]), body };
  expect(read(text)).toEqual(whole);
  expect(read(...text.split(""))).toEqual(whole);
});

test.each([
  ["LF alone as the end of a line", OK.replaceAll("\r\n", "\n")],
  ["a folded header", field("A: b\r\n c")],
  ["a space before a colon", field("A : b")],
  ["a header without a colon", field("A")],
  ["CR within a header", field("A: b\rc")],
  ["NUL within a header", field("A: b\0c")],
  ["two ways to end", field("Transfer-Encoding: chunked")],
  ["two lengths", field("Content-Length: 2")],
  ["a length that is none", OK.replace("2\r", "+2\r")],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
  ["HTTP/2", "HTTP/2.0 200 OK\r\n\r\n"],
  ["something else than HTTP", "SSH-2.0-"],
  ["a head of 80 KiB", cookies(80)],
  ["a line without end", `HTTP/1.1 200 ${"a".repeat(70_000)}`],
  ["interim answers without end", CONTINUE.repeat(200)],
])("an answer with %s is broken, in one piece and byte by byte", (_case, text) => {
  expect(read(text).state).toBe("broken");
  if (text.length < 10_000) expect(read(...text.split("")).state).toBe("broken");
});

test.each([
  ["one that follows", OK + OK],
  ["bytes behind the length", `${OK}!`],
  ["bytes behind the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n!"],
  ["a chunk that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  [
    "a chunk that is longer than it says",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n",
  ],
  ["another encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
  ["no length", "HTTP/1.1 200 OK\r\n\r\nok"],
])("an answer with %s has its status, and its connection is of no more use", (_case, text) => {
  expect(read(text)).toMatchObject({ state: "body", statusCode: 200 });
});

/** The status that Node's client reads, or undefined if it refuses the answer. */
async function byNode(text: string): Promise<number | undefined> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(text, "latin1"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return await new Promise((resolve) => {
    const call = request({ host: "127.0.0.1", port, method: "POST", agent: false, maxHeaderSize: 65_536 });
    call.on("error", () => resolve(undefined));
    call.once("response", ({ statusCode }) => {
      resolve(statusCode);
      call.destroy();
    });
    call.end("{}");
  });
}

test("whatever Node's client refuses is broken here or has another status line than 2xx, however it is cut", async () => {
  const pieces = fc.constantFrom(
    "HTTP/1.1 200 OK",
    "HTTP/1.1 100 Continue",
    "HTTP/1.0 500 No",
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
    " ",
    ":",
    "Content-Length: 2",
    "Transfer-Encoding: chunked",
    "A: b",
    "ok",
    "0",
    "\0",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 10 }), async (parts) => {
      const text = `HTTP/1.1 ${parts.join("")}\r\n\r\n`;
      const ours = read(text);
      const theirs = await byNode(text);
      if (ours.state === "body" || ours.state === "whole") expect(theirs).toBe(ours.statusCode);
      expect(read(...text.split(""))).toEqual(ours);
    }),
    { numRuns: 300 },
  );
});
