import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import express from "express";
import { expect, onTestFinished, test, vi } from "vitest";
import { boundFormTime, FILE_MS_MAX, giveTimeForFile } from "./body-time.ts";

/** Begins a form whose end does not arrive; with `file` it has a file's time once its sender is known. */
async function beginForm({ file = false } = {}) {
  const reached = Promise.withResolvers<void>();
  const app = express();
  app.use(boundFormTime);
  app.post("/", (request, response) => {
    if (file) giveTimeForFile(request);
    request.on("error", () => {});
    request.on("data", () => {});
    request.once("end", () => response.end("whole"));
    reached.resolve();
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  // Faked only from here on, so that the sockets themselves are real.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => {
    vi.useRealTimers();
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write("POST / HTTP/1.1\r\nHost: console\r\nContent-Length: 4\r\n\r\nab");
  await reached.promise;
  return socket;
}

const FORM_MS_MAX = 14_000;

test("a form that does not arrive is cut off after fourteen seconds", async () => {
  const socket = await beginForm();
  const closed = once(socket, "close");
  vi.advanceTimersByTime(FORM_MS_MAX);
  await closed;
  expect(socket.destroyed).toBe(true);
});

test("a file of a person who is signed in has ten minutes, and no longer", async () => {
  const socket = await beginForm({ file: true });
  vi.advanceTimersByTime(FILE_MS_MAX - 1);
  const answered = once(socket, "data");
  socket.write("cd");
  expect(String((await answered)[0])).toContain("whole");
  const late = await beginForm({ file: true });
  const closed = once(late, "close");
  vi.advanceTimersByTime(FILE_MS_MAX);
  await closed;
});

test("what has arrived is not cut off while its answer takes its time", async () => {
  const app = express();
  app.use(boundFormTime);
  const waiting = Promise.withResolvers<() => void>();
  app.post("/", (request, response) => {
    request.resume().once("end", () => waiting.resolve(() => response.end("whole")));
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: console\r\nContent-Length: 2\r\n\r\nab");
  const answer = await waiting.promise;
  vi.advanceTimersByTime(FORM_MS_MAX);
  const answered = once(socket, "data");
  answer();
  expect(String((await answered)[0])).toContain("whole");
});
