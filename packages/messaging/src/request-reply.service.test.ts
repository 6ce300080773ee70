import { randomUUID } from "node:crypto";
import { defineCommand, type Command, type CommandReply, type MessageContext } from "@holdfast/contracts";
import { eventually, startTestNats, type TestNats } from "@holdfast/tests/support";
import { headers } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { connectBus, type Bus } from "./connect.ts";
import { MessageRejectedError, request } from "./request.ts";
import { handler, serve, type Handled, type Incoming, type ServeOptions } from "./serve.ts";

const ask = defineCommand({
  service: "asked",
  name: "ask",
  request: z.object({ question: z.string() }),
  result: z.object({ answer: z.string() }),
});
const look = defineCommand({
  service: "asked",
  name: "look",
  work: "read",
  request: z.object({ question: z.string() }),
  result: z.object({ answer: z.string() }),
});
type Answer = CommandReply<{ answer: string }>;
type Question = Incoming<{ question: string }>;

let nats: TestNats;
let client: Bus;
let handled: Handled[];

beforeAll(async () => {
  nats = await startTestNats();
  client = await connectBus({ url: nats.url, name: "asker" });
});
afterAll(async () => {
  await client.close(1_000);
  await nats.stop();
});
beforeEach(() => {
  handled = [];
});

const context = (change: Partial<MessageContext> = {}): MessageContext => ({
  requestId: randomUUID(),
  deadlineAt: Date.now() + 100_000,
  merchant: { merchantId: randomUUID() },
  ...change,
});

const send = (
  given = context(),
  waitMs = 100_000,
  command: Command<typeof ask.request, z.ZodType<{ answer: string }>, MessageContext> = ask,
  once?: boolean,
) =>
  request(
    client,
    command,
    given,
    { question: "?" },
    { waitUntil: Date.now() + waitMs, traceparent: "00-trace", ...(once !== undefined && { once }) },
  );

/** Serves `ask` until the test ends. */
async function answering(
  handle: (message: Question) => Promise<Answer>,
  { external = 100, ...options }: Partial<Pick<ServeOptions, "clock" | "share">> & { external?: number } = {},
) {
  const bus = await connectBus({ url: nats.url, name: "asked" });
  const serving = await serve(bus, {
    service: "asked",
    permits: { external, local: 1 },
    onHandled: (each) => handled.push(each),
    handlers: [handler(ask, handle), handler(look, handle)],
    ...options,
  });
  onTestFinished(async () => {
    await serving.stop(500);
    await bus.close(500);
  });
  return { bus, serving };
}

/** Shifts the clock until the test ends. */
function shiftClock(byMs: number): void {
  const machineNow = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => machineNow() + byMs);
  onTestFinished(() => clock.mockRestore());
}

const HOUR_MS = 3_600_000;

const done = (answer: string): Answer => ({ outcome: "done", result: { answer } });

test("a command reaches its handler with context, trace and payload, and its reply comes back", async () => {
  let seen: Question | undefined;
  await answering(async (message) => {
    seen = message;
    return done("42");
  });
  const given = context();
  expect(await send(given)).toEqual(done("42"));
  expect(seen).toEqual({ context: given, traceparent: "00-trace", payload: { question: "?" } });
  const { requestId, merchant } = given;
  const named = { requestId, merchantId: merchant.merchantId };
  expect(handled).toMatchObject([{ subject: "asked.ask", outcome: "done", context: named }]);
});

test("it serves although the connection breaks before the server has taken the subscriptions", async () => {
  const own = await startTestNats();
  onTestFinished(() => own.stop());
  const bus = await connectBus({ url: own.url, name: "asked" });
  onTestFinished(() => bus.close(500));
  await own.kill();
  const handlers = [handler(ask, async () => done("42"))];
  const options = {
    service: "asked",
    permits: { external: 1, local: 1 },
    onHandled: () => {},
    handlers,
  };
  const serving = serve(bus, options);
  await own.restart();
  await serving;
  const asked = request(
    bus,
    ask,
    context(),
    { question: "?" },
    { waitUntil: Date.now() + 100_000, traceparent: "" },
  );
  expect(await asked).toEqual(done("42"));
});

/** Longer than a test may take. */
const FOREVER_MS = 3_600_000;

test("with nobody to answer the reply is not_started, without waiting", async () => {
  expect(await send(context(), FOREVER_MS)).toEqual({ outcome: "not_started" });
});

test("without an answer in time the outcome is in doubt", async () => {
  await answering(() => new Promise(() => {}));
  expect(await send(context(), 200)).toEqual({ outcome: "in_doubt" });
});

test("with less than a millisecond left nothing is sent, and the reply is not_started", async () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now());
  const elapsed = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => [now, elapsed].forEach((clock) => clock.mockRestore()));
  expect(await send(context(), 0.5)).toEqual({ outcome: "not_started" });
});

test("a handler that throws leaves the outcome in doubt, and goes on serving", async () => {
  let calls = 0;
  await answering(async () => {
    if (calls++ === 0) throw new Error("bug");
    return done("now");
  });
  expect(await send()).toEqual({ outcome: "in_doubt" });
  expect(handled).toMatchObject([{ outcome: "failed", error: { message: "bug" } }]);
  expect(await send()).toEqual(done("now"));
});

test("an answer that is too long for the bus leaves the outcome in doubt at once, and is reported", async () => {
  await answering(async () => done("x".repeat(2 * 1_024 * 1_024)));
  expect(await send(context(), FOREVER_MS)).toEqual({ outcome: "in_doubt" });
  expect(handled).toMatchObject([{ subject: "asked.ask", outcome: "failed", error: expect.any(Error) }]);
});

test("a message past its deadline is not begun", async () => {
  let called = false;
  await answering(async () => {
    called = true;
    return done("late");
  });
  expect(await send(context({ deadlineAt: Date.now() - 1 }))).toEqual({ outcome: "not_started" });
  expect(called).toBe(false);
});

test("beyond the bound of commands at once a message is refused as not started", async () => {
  const release = Promise.withResolvers<Answer>();
  await answering(() => release.promise, { external: 1 });
  const first = send();
  await eventually(async () => (await send()).outcome === "not_started");
  release.resolve(done("first"));
  expect(await first).toEqual(done("first"));
});

test("commands that wait for somebody outside leave the places of those that do not", async () => {
  const release = Promise.withResolvers<Answer>();
  let waits = true;
  await answering(async () => (waits ? await release.promise : done("now")), { external: 1 });
  const first = send();
  await eventually(async () => (await send()).outcome === "not_started");
  waits = false;
  expect(await send(context(), FOREVER_MS, look)).toEqual(done("now"));
  release.resolve(done("first"));
  expect(await first).toEqual(done("first"));
});

describe("a command that only reads is not started", () => {
  test("when its handler throws, which is logged as a failure", async () => {
    await answering(async () => {
      throw new Error("away");
    });
    expect(await send(context(), FOREVER_MS, look)).toEqual({ outcome: "not_started" });
    expect(handled).toMatchObject([{ outcome: "failed", error: { message: "away" } }]);
  });

  test("when no answer comes in time", async () => {
    await answering(() => new Promise(() => {}));
    expect(await send(context(), 200, look)).toEqual({ outcome: "not_started" });
  });
});

describe("while its clock is off", () => {
  /** A clock that the test sets. */
  function createTestClock(isOff: boolean) {
    const listeners: (() => void)[] = [];
    return {
      isOff: () => isOff,
      onChange: (listener: () => void) => void listeners.push(listener),
      set(off: boolean) {
        isOff = off;
        for (const listener of listeners) listener();
      },
    };
  }

  test("from its start on, a process begins nothing, and works once it is right", async () => {
    const clock = createTestClock(true);
    await answering(async () => done("42"), { clock });
    expect(await send(context(), FOREVER_MS)).toEqual({ outcome: "not_started" });
    clock.set(false);
    await eventually(async () => expect(await send()).toEqual(done("42")));
  });

  test("a process finishes what is under way, and leaves all new work to the others", async () => {
    const clock = createTestClock(false);
    const release = Promise.withResolvers<Answer>();
    let calls = 0;
    await answering(
      async () => {
        calls++;
        return await release.promise;
      },
      { clock },
    );
    const first = send();
    await eventually(() => calls === 1);
    clock.set(true);
    expect(await send(context(), FOREVER_MS)).toEqual({ outcome: "not_started" });
    // Until the server has taken it out of the group, it answers what still arrives.
    await eventually(async () => {
      const before = handled.length;
      await send();
      return handled.length === before;
    });
    const other = await answering(async () => done("other"));
    for (let count = 0; count < 20; count++) expect(await send()).toEqual(done("other"));
    release.resolve(done("first"));
    expect(await first).toEqual(done("first"));
    expect(calls).toBe(1);
    clock.set(false);
    await other.serving.stop(500);
    await eventually(async () => expect(await send()).toEqual(done("first")));
  });
});

describe("what cannot be read", () => {
  test("as a message is rejected: nothing was started", async () => {
    await answering(async () => done("never"));
    await expect(send({ ...context(), merchant: { merchantId: "nobody" } })).rejects.toThrow(
      MessageRejectedError,
    );
    const garbage = await client.nats.request(ask.subject, "{", { timeout: 60_000 });
    expect(garbage.headers?.get("Holdfast-Failure")).toBe("rejected");
  });

  test("as a reply is an error, not an answer", async () => {
    await answering(async () => ({ outcome: "done", result: { answer: 42 as never } }));
    await expect(send()).rejects.toThrow(z.ZodError);
  });
});

test("stopping lets what is under way end, and takes nothing new", async () => {
  const release = Promise.withResolvers<Answer>();
  let begun = false;
  const { serving } = await answering(() => {
    begun = true;
    return release.promise;
  });
  const first = send();
  await eventually(() => begun);
  const stopped = serving.stop(FOREVER_MS);
  // A command that is still being handed over counts as under way, and waits with the others.
  await eventually(async () => (await send(context(), 100)).outcome === "not_started");
  release.resolve(done("first"));
  await stopped;
  expect(await first).toEqual(done("first"));
});

test("a message whose headers cannot be read is answered without a trace", async () => {
  let seen: Question | undefined;
  await answering(async (message) => {
    seen = message;
    return done("42");
  });
  const unreadable = { encode: () => Buffer.from("NATS/1.0\r\ntrace parent: 00\r\n\r\n") };
  const answer = await client.nats.request(
    ask.subject,
    JSON.stringify({ context: context(), payload: { question: "?" } }),
    { timeout: 60_000, headers: Object.assign(headers(), unreadable) },
  );
  expect(answer.json()).toEqual(done("42"));
  expect(seen).toMatchObject({ traceparent: undefined });
});

test("nothing of a request stays with the connection once it is answered", async () => {
  await answering(async () => done("42"));
  let [listened, forgotten] = [0, 0];
  const watched: Bus = Object.create(client, {
    onDisconnection: {
      value: (listener: () => void) => {
        listened++;
        const forget = client.onDisconnection(listener);
        return () => {
          forgotten++;
          forget();
        };
      },
    },
  });
  const wire = { waitUntil: Date.now() + 100_000, traceparent: "00-trace" };
  expect(await request(watched, ask, context(), { question: "?" }, wire)).toEqual(done("42"));
  expect([listened, forgotten]).toEqual([1, 1]);
});

describe("when the server goes away", () => {
  test("during the wait, the message is sent again after the reconnect, and answered", async () => {
    let calls = 0;
    await answering(async () => (calls++ === 0 ? await new Promise(() => {}) : done("second")));
    const answer = send();
    await eventually(() => calls === 1);
    await nats.kill();
    await nats.restart();
    expect(await answer).toEqual(done("second"));
    expect(calls).toBe(2);
  });

  test("and the machine's time is set an hour ahead meanwhile, the wait is not shorter", async () => {
    let calls = 0;
    await answering(async () => (calls++ === 0 ? await new Promise(() => {}) : done("second")));
    const answer = send(context({ deadlineAt: Date.now() + 2 * HOUR_MS }));
    await eventually(() => calls === 1);
    shiftClock(HOUR_MS);
    await nats.kill();
    await nats.restart();
    expect(await answer).toEqual(done("second"));
  });

  // For each address of a name the client connects to a copy of the server that it has in its list.
  test.each(["127.0.0.1", "localhost"])(
    "and the machine's time is set an hour back, a connection to %s does not wait for it",
    async (host) => {
      const bus = await connectBus({
        url: nats.url.replace(/127\.0\.0\.1|localhost/, host),
        name: "set back",
      });
      onTestFinished(() => bus.close(500));
      shiftClock(-HOUR_MS);
      await nats.kill();
      await eventually(() => !bus.connected && !client.connected);
      await nats.restart();
      await eventually(() => expect([bus.connected, client.connected]).toEqual([true, true]));
    },
  );

  test("and does not come back in time, the outcome is in doubt, never not_started", async () => {
    let calls = 0;
    await answering(async () => {
      calls++;
      return await new Promise(() => {});
    });
    const answer = send(context(), 800);
    await eventually(() => calls === 1);
    await nats.kill();
    expect(await answer).toEqual({ outcome: "in_doubt" });
    await nats.restart();
    await eventually(() => client.connected);
  });

  test("and the copy is refused as not started, the first one's outcome is in doubt", async () => {
    let calls = 0;
    await answering(
      async () => {
        calls++;
        return await new Promise(() => {});
      },
      { external: 1 },
    );
    const answer = send();
    await eventually(() => calls === 1);
    await nats.kill();
    await nats.restart();
    expect(await answer).toEqual({ outcome: "in_doubt" });
    expect(calls).toBe(1);
  });

  test("before anything was sent, the reply is not_started, without waiting", async () => {
    await nats.kill();
    await eventually(() => !client.connected);
    expect(await send(context(), FOREVER_MS)).toEqual({ outcome: "not_started" });
    await nats.restart();
    await eventually(() => client.connected);
  });
});

describe("a command that is sent at most once", () => {
  const sendOnce = (waitMs = FOREVER_MS) => send(context(), waitMs, ask, true);

  test("is answered as any other", async () => {
    await answering(async () => done("42"));
    expect(await sendOnce()).toEqual(done("42"));
  });

  test("is in doubt once the connection breaks, and no copy of it is sent after the reconnect", async () => {
    let calls = 0;
    await answering(async () => (calls++ === 0 ? await new Promise(() => {}) : done("another")));
    const answer = sendOnce();
    await eventually(() => calls === 1);
    await nats.kill();
    await nats.restart();
    expect(await answer).toEqual({ outcome: "in_doubt" });
    await eventually(async () => expect(await send(context(), FOREVER_MS, look)).toEqual(done("another")));
    expect(calls).toBe(2);
  });

  test("is not started with nobody to answer, or the bus down before it was sent", async () => {
    expect(await sendOnce()).toEqual({ outcome: "not_started" });
    await nats.kill();
    await eventually(() => !client.connected);
    expect(await sendOnce()).toEqual({ outcome: "not_started" });
    await nats.restart();
    await eventually(() => client.connected);
  });
});

test("commands of one merchant have their share of the places; beyond it they are not begun, and another's are", async () => {
  const release = Promise.withResolvers<void>();
  const [noisy, other] = [randomUUID(), randomUUID()];
  const begun: string[] = [];
  await answering(
    async ({ context: { merchant } }) => {
      begun.push(merchant.merchantId);
      if (merchant.merchantId === noisy) await release.promise;
      return done("42");
    },
    { external: 8, share: 0.25 },
  );
  const of = (merchantId: string) => context({ merchant: { merchantId } });
  const underway = [send(of(noisy)), send(of(noisy))];
  await eventually(() => expect(begun).toHaveLength(2));
  expect(await send(of(noisy))).toEqual({ outcome: "not_started" });
  expect(await send(of(other))).toEqual(done("42"));
  expect(handled.at(-2)).toMatchObject({ outcome: "overloaded" });
  release.resolve();
  expect(await Promise.all(underway)).toEqual([done("42"), done("42")]);
  expect(await send(of(noisy))).toEqual(done("42"));
});
