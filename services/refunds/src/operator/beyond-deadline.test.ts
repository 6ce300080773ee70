import { createLogger } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { createBeyondDeadline } from "./beyond-deadline.ts";

const create = (now = () => 0) => createBeyondDeadline({ now, log: createLogger("refunds", "silent") });
const never = { deadlineAt: 3_600_000 };

test("what ends in time is answered with, and what fails is not", async () => {
  const beyond = create();
  expect(await beyond.wait(Promise.resolve("paid"), never)).toBe("paid");
  expect(await beyond.wait(Promise.reject(new Error("no database")), never)).toBeUndefined();
});

test("past the deadline the answer waits no longer, and a stop waits for what still goes on", async () => {
  const beyond = create(() => 10);
  const call = Promise.withResolvers<string>();
  expect(await beyond.wait(call.promise, { deadlineAt: 5 })).toBeUndefined();
  let hasStopped = false;
  const stopping = beyond.stop(3_600_000).then(() => (hasStopped = true));
  await Promise.resolve();
  expect(hasStopped).toBe(false);
  call.resolve("paid");
  await stopping;
  expect(hasStopped).toBe(true);
});

test("a stop waits no longer than it may", async () => {
  const beyond = create(() => 10);
  await beyond.wait(new Promise(() => {}), { deadlineAt: 5 });
  expect(await beyond.stop(1)).toBeUndefined();
});
