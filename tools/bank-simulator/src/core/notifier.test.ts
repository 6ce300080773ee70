import { afterEach, expect, test, vi } from "vitest";

import { MinuteLimits } from "./minute-limits.ts";
import { Notifier } from "./notifier.ts";

afterEach(() => vi.unstubAllGlobals());

const message = { url: "https://shop.example/", headers: {}, body: "{}", triesMax: 3 };

function receiver(...answers: (Response | Error)[]) {
  const fetched = vi.fn<typeof fetch>(async () => {
    const answer = answers.shift() ?? new Response("OK");
    if (answer instanceof Error) throw answer;
    return answer;
  });
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

test("a notification is tried until it is taken", async () => {
  const fetched = receiver(new Error("refused"), new Response("", { status: 500 }));
  await new Notifier(new AbortController().signal).deliver(message);
  expect(fetched).toHaveBeenCalledTimes(3);
});

test("it is tried no more often than it says, and a receiver's words may refuse it", async () => {
  const fetched = receiver(...Array.from({ length: 4 }, () => new Response("FAILURE")));
  const isTaken = (answer: string) => !answer.includes("FAILURE");
  await new Notifier(new AbortController().signal).deliver({ ...message, isTaken });
  expect(fetched).toHaveBeenCalledTimes(3);
});

test("a stop ends the wait for the next try", async () => {
  const fetched = receiver(new Error("refused"));
  const stopping = new AbortController();
  const delivery = new Notifier(stopping.signal).deliver({ ...message, retryMs: 3_600_000 });
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1));
  stopping.abort();
  await expect(delivery).rejects.toThrow("aborted");
});

test("a limit counts the calls of the last minute, for each key apart", () => {
  const limits = new MinuteLimits();
  const admit = (key: string, nowMs: number) => limits.admit(key, 2, nowMs);
  expect([admit("a", 0), admit("a", 1), admit("a", 2), admit("b", 2)]).toEqual([true, true, false, true]);
  expect([admit("a", 60_000), admit("a", 60_000)]).toEqual([true, false]);
});
