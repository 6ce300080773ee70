import { randomUUID } from "node:crypto";
import { defineCommand, type CommandReply, type MessageContext } from "@holdfast/contracts";
import { eventually, startTestNats, type TestNats } from "@holdfast/tests/support";
import { createInbox, headers, type Msg } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connectBus, type Bus } from "./connect.ts";
import { MessageRejectedError, request } from "./request.ts";
import { handler, serve, type Handled, type Incoming } from "./serve.ts";
import { ANSWERS_TO_HEADER, FAILURE_HEADER } from "./wire.ts";

// Commands that leave in one turn of the event loop, in one message.
const ask = defineCommand({
  service: "gathered",
  name: "ask",
  together: true,
  request: z.object({ question: z.string() }),
  result: z.object({ answer: z.string() }),
});
type Answer = CommandReply<{ answer: string }>;
type Question = Incoming<{ question: string }>;

let nats: TestNats;
let client: Bus;
/** The messages to the subject, as the bus has them. */
let messages: Msg[];
beforeAll(async () => {
  nats = await startTestNats();
  client = await connectBus({ url: nats.url, name: "asker" });
});
afterAll(async () => {
  await client.close(1_000);
  await nats.stop();
});
beforeEach(async () => {
  messages = [];
  const observer = await connectBus({ url: nats.url, name: "observer" });
  observer.nats.subscribe(ask.subject, { callback: (_, message) => void messages.push(message) });
  await observer.nats.flush();
  onTestFinished(() => observer.close(500));
});

const context = (change: Partial<MessageContext> = {}): MessageContext => ({
  requestId: randomUUID(),
  deadlineAt: Date.now() + 100_000,
  merchant: { merchantId: randomUUID() },
  ...change,
});

type SendOptions = {
  given?: MessageContext;
  waitMs?: number;
  bus?: Bus;
  traceparent?: string;
  once?: boolean;
};

const send = (
  question: string,
  {
    given = context(),
    waitMs = 100_000,
    bus = client,
    traceparent = "00-trace",
    once = false,
  }: SendOptions = {},
) => request(bus, ask, given, { question }, { waitUntil: Date.now() + waitMs, traceparent, once });

const questions = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
const done = (answer: string): Answer => ({ outcome: "done", result: { answer } });
const echo = async ({ payload }: Question): Promise<Answer> => done(payload.question);

/** Serves `ask` until the test ends. */
async function answering(
  handle: (message: Question) => Promise<Answer>,
  { external = 100, bus: given }: { external?: number; bus?: Bus } = {},
) {
  const handled: Handled[] = [];
  const bus = given ?? (await connectBus({ url: nats.url, name: "asked" }));
  const serving = await serve(bus, {
    service: "gathered",
    version: "1.0.0",
    permits: { external, local: 1 },
    onHandled: (each) => handled.push(each),
    handlers: [handler(ask, handle)],
  });
  onTestFinished(async () => {
    await serving.stop(500);
    await bus.close(500);
  });
  return { bus, serving, handled };
}

/** Expects the number of commands in each message that the observer has got or is about to get. */
async function expectSizes(expected: (number | "alone")[]): Promise<void> {
  const sizeOf = (message: Msg) =>
    message.headers?.has(ANSWERS_TO_HEADER) ? message.json<unknown[]>().length : "alone";
  await eventually(() => expect(messages.map(sizeOf)).toEqual(expected));
}

test("commands of one turn are one message, and each has its own context, trace and answer", async () => {
  const seen: Question[] = [];
  await answering(async (message) => {
    seen.push(message);
    return await echo(message);
  });
  const given = questions(5).map((question) => ({
    question,
    context: context(),
    traceparent: `00-${question}`,
  }));
  const answers = await Promise.all(
    given.map(({ question, context: own, traceparent }) => send(question, { given: own, traceparent })),
  );
  expect(answers).toEqual(questions(5).map(done));
  expect(seen).toEqual(given.map(({ question, ...own }) => ({ ...own, payload: { question } })));
  await expectSizes([5]);
});

test("a command that leaves alone is a message of its own, and so is one that is sent once", async () => {
  await answering(echo);
  expect(await send("alone")).toEqual(done("alone"));
  expect(await Promise.all([send("a", { once: true }), send("b", { once: true })])).toEqual([
    done("a"),
    done("b"),
  ]);
  await expectSizes(["alone", "alone", "alone"]);
  expect(messages.map((message) => message.headers?.get("traceparent"))).toEqual([
    "00-trace",
    "00-trace",
    "00-trace",
  ]);
});

test("a list is bounded in number and in length", async () => {
  await answering(echo);
  const many = questions(70);
  expect(await Promise.all(many.map((question) => send(question)))).toEqual(many.map(done));
  await expectSizes([32, 32, 6]);
  messages = [];
  const long = questions(5).map((question) => question.repeat(60_000));
  // Their answers in one message would be more than nats-server takes.
  const answers = await Promise.all([...long, ...long, ...long, ...long].map((question) => send(question)));
  expect(answers).toEqual([...long, ...long, ...long, ...long].map(done));
  await expectSizes(Array.from({ length: 10 }, () => 2));
});

test("a bad command of a list is refused by itself, and the others are answered", async () => {
  const { handled } = await answering(echo);
  const bad = send(7 as never);
  const [refused, ...answered] = await Promise.allSettled([bad, send("a"), send("b")]);
  expect(refused).toMatchObject({ status: "rejected", reason: expect.any(MessageRejectedError) });
  expect(answered).toMatchObject([{ value: done("a") }, { value: done("b") }]);
  expect(handled.map(({ outcome }) => outcome).toSorted()).toEqual(["done", "done", "rejected"]);
  await expectSizes([3]);
});

test("one whose handler throws or is late is in doubt, and nobody waits for it", async () => {
  const late = Promise.withResolvers<Answer>();
  await answering(async (message) => {
    if (message.payload.question === "throws") throw new Error("bug");
    return message.payload.question === "late" ? await late.promise : await echo(message);
  });
  const slow = send("late", { waitMs: 1_000 });
  expect(await Promise.all([send("throws"), send("a"), send("b")])).toEqual([
    { outcome: "in_doubt" },
    done("a"),
    done("b"),
  ]);
  expect(await slow).toEqual({ outcome: "in_doubt" });
  await expectSizes([4]);
  late.resolve(done("too late"));
});

test("each command of a list has its own deadline and takes its own place", async () => {
  const release = Promise.withResolvers<void>();
  await answering(
    async (message) => {
      await release.promise;
      return await echo(message);
    },
    { external: 2 },
  );
  const sent = [
    send("past", { given: context({ deadlineAt: Date.now() - 1 }) }),
    ...["a", "b", "c"].map((question) => send(question)),
  ];
  expect(await sent[0]).toEqual({ outcome: "not_started" });
  expect(await sent[3]).toEqual({ outcome: "not_started" });
  release.resolve();
  expect(await Promise.all(sent)).toMatchObject([{}, done("a"), done("b"), {}]);
  await expectSizes([4]);
});

test("with nobody to answer each command of a list is not started, without waiting", async () => {
  // The observer listens, so that the other server has a subscriber.
  const own = await startTestNats();
  onTestFinished(() => own.stop());
  const bus = await connectBus({ url: own.url, name: "asker" });
  onTestFinished(() => bus.close(500));
  const answers = await Promise.all(
    questions(3).map((question) => send(question, { bus, waitMs: 3_600_000 })),
  );
  expect(answers).toEqual(questions(3).map(() => ({ outcome: "not_started" })));
});

test("a list that is lost is in doubt for each of its commands, and for no other", async () => {
  const bus = await connectBus({ url: nats.url, name: "asked" });
  onTestFinished(() => bus.close(500));
  // Takes lists, and answers those that do not ask for anything to be lost.
  bus.nats.subscribe(ask.subject, {
    callback: (_, message) => {
      const listed = message.json<{ id: number; message: { payload: { question: string } } }[]>();
      message.respond("");
      if (listed.some(({ message: { payload } }) => payload.question === "lost")) return;
      const answers = listed.map(({ id, message: { payload } }) => ({ id, reply: done(payload.question) }));
      bus.nats.publish(message.headers!.get(ANSWERS_TO_HEADER), JSON.stringify(answers));
    },
  });
  await bus.nats.flush();
  const lost = [send("lost", { waitMs: 500 }), send("beside it", { waitMs: 500 })];
  await eventually(() => expect(messages).toHaveLength(1));
  const others = [send("a"), send("b")];
  expect(await Promise.all(others)).toEqual([done("a"), done("b")]);
  expect(await Promise.all(lost)).toEqual([{ outcome: "in_doubt" }, { outcome: "in_doubt" }]);
});

test("the connection breaks: each command of a list is sent again and has its answer", async () => {
  const own = await startTestNats();
  onTestFinished(() => own.stop());
  const [asker, asked] = [
    await connectBus({ url: own.url, name: "asker" }),
    await connectBus({ url: own.url, name: "asked" }),
  ];
  onTestFinished(() => asker.close(500));
  const seen: string[] = [];
  const broken = Promise.withResolvers<void>();
  await answering(
    async (message) => {
      seen.push(message.payload.question);
      if (seen.length <= 3) await broken.promise;
      return await echo(message);
    },
    { bus: asked },
  );
  const sent = Promise.all(questions(3).map((question) => send(question, { bus: asker })));
  await eventually(() => expect(seen).toHaveLength(3));
  await own.kill();
  await eventually(() => expect(asker.connected).toBe(false));
  broken.resolve();
  await own.restart();
  expect(await sent).toEqual(questions(3).map(done));
  expect(seen.toSorted()).toEqual(["0", "0", "1", "1", "2", "2"]);
});

test("a list that its service cannot read is refused for each of its commands, and sent once", async () => {
  const bus = await connectBus({ url: nats.url, name: "asked" });
  onTestFinished(() => bus.close(500));
  bus.nats.subscribe(ask.subject, {
    callback: (_, message) => {
      const rejected = headers();
      rejected.set(FAILURE_HEADER, "rejected");
      message.respond("", { headers: rejected });
    },
  });
  await bus.nats.flush();
  const answers = await Promise.allSettled(questions(3).map((question) => send(question)));
  const refused = { status: "rejected", reason: expect.any(MessageRejectedError) };
  expect(answers).toEqual([refused, refused, refused]);
  await expectSizes([3]);
});

test("a service that stops has answered what it had begun of a list", async () => {
  const release = Promise.withResolvers<void>();
  const { serving, bus, handled } = await answering(async (message) => {
    await release.promise;
    return await echo(message);
  });
  const sent = Promise.all(questions(3).map((question) => send(question)));
  await eventually(() => expect(messages).toHaveLength(1));
  const stopped = serving.stop(10_000);
  release.resolve();
  await stopped;
  expect(handled).toHaveLength(3);
  await bus.close(1_000);
  expect(await sent).toEqual(questions(3).map(done));
});

test.each([
  ["no JSON", "{"],
  ["no list", "{}"],
  ["an empty list", "[]"],
  ["a command without an id", '[{"message":{}}]'],
])("a list that cannot be read is refused whole, and nothing of it is begun: %s", async (_, data) => {
  const { handled } = await answering(echo);
  const listed = headers();
  listed.set(ANSWERS_TO_HEADER, createInbox());
  const receipt = await client.nats.request(ask.subject, data, { timeout: 10_000, headers: listed });
  expect(receipt.headers?.get(FAILURE_HEADER)).toBe("rejected");
  expect(handled).toMatchObject([{ outcome: "rejected" }]);
});

test("answers go to inboxes of the command's senders alone", async () => {
  const { handled } = await answering(echo);
  const elsewhere: string[] = [];
  client.nats.subscribe("elsewhere", { callback: (_, message) => void elsewhere.push(message.string()) });
  const listed = headers();
  listed.set(ANSWERS_TO_HEADER, "elsewhere");
  const command = { id: 1, message: { context: context(), payload: { question: "?" } } };
  await client.nats.request(ask.subject, JSON.stringify([command]), { timeout: 10_000, headers: listed });
  await eventually(() => expect(handled).toMatchObject([{ outcome: "rejected" }]));
  // Nor does a receipt go anywhere else.
  listed.set(ANSWERS_TO_HEADER, createInbox());
  client.nats.publish(ask.subject, JSON.stringify([command]), { reply: "elsewhere", headers: listed });
  await eventually(() => expect(handled).toHaveLength(2));
  await client.nats.flush();
  expect(elsewhere).toEqual([]);
});
