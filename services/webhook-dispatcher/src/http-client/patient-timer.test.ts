import { connect, createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startPatientTimer } from "./patient-timer.ts";

test("an answer that came while this process stood still is not too late", async () => {
  const server = createServer((socket) => socket.end("answer"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outcome = await new Promise<string>((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("connect", () => {
      const callOff = startPatientTimer(20, () => resolve("timed out"));
      socket.once("data", () => {
        callOff();
        resolve("answered");
      });
      // The answer is in the socket's buffer before the timer runs.
      setImmediate(() => {
        const until = performance.now() + 60;
        while (performance.now() < until);
      });
    });
  });
  expect(outcome).toBe("answered");
  server.close();
});

test("no answer is a time-out, unless it was called off", async () => {
  expect(await new Promise((resolve) => startPatientTimer(5, () => resolve("timed out")))).toBe("timed out");
  let fired = false;
  startPatientTimer(5, () => (fired = true))();
  await new Promise((resolve) => startPatientTimer(15, () => resolve(undefined)));
  expect(fired).toBe(false);
});
