import { EVENT_STREAM, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import { connectBus, type Bus } from "@holdfast/messaging";
import {
  EventStreamMissingError,
  EventStreamSettingsError,
  requireEventStream,
  requireConsumer,
} from "@holdfast/outbox";
import { eventually, startTestLink, startTestNats, type TestNats } from "@holdfast/tests/support";
import { DeliverPolicy, jetstreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { TimeoutError } from "@nats-io/transport-node";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { installEventStream, keepEventStream } from "./event-stream.ts";

let nats: TestNats;
let bus: Bus;
beforeEach(async () => {
  nats = await startTestNats();
  bus = await connectBus({ url: nats.url, name: "test" });
});
afterEach(async () => {
  await bus.close(500);
  await nats.stop();
});

const sizes = { replicas: 1, bytesMax: 268_435_456, ackWaitMs: 30_000 };
const { name } = EVENT_STREAM;
const manage = () => jetstreamManager(bus.nats);
const install = (change: Partial<typeof sizes> = {}) => installEventStream(bus, { ...sizes, ...change });

test("makes stream and consumer as the services demand them; a repetition changes nothing", async () => {
  await expect(requireEventStream(bus.nats)).rejects.toBeInstanceOf(EventStreamMissingError);
  await install();
  await requireConsumer(bus.nats);
  const { streams, consumers } = await manage();
  const before = await streams.info(name);
  expect(before.config).toMatchObject({
    retention: "limits",
    storage: "file",
    discard: "old",
    max_age: 24 * 3_600 * 1e9,
    duplicate_window: 30 * 1e9,
    max_bytes: sizes.bytesMax,
    num_replicas: 1,
  });
  await install();
  expect((await streams.info(name)).created).toBe(before.created);
  expect((await consumers.info(name, WEBHOOK_CONSUMER)).config).toMatchObject({
    ack_policy: "explicit",
    ack_wait: 30 * 1e9,
    max_deliver: -1,
  });
});

test("a bus that is away at first is asked again, as long as it may", async () => {
  const link = await startTestLink(nats.url);
  const distant = await connectBus({ url: link.url, name: "test" });
  onTestFinished(async () => void (await Promise.all([distant.close(500), link.close()])));
  const asked = vi.spyOn(distant.nats, "request");
  link.cut();
  const atOnce = installEventStream(distant, sizes).catch((error: unknown) => error);
  const installing = installEventStream(distant, sizes, { withinMs: 120_000 });
  await eventually(() => expect(asked.mock.calls.length).toBeGreaterThan(2));
  link.mend();
  await installing;
  await requireConsumer(bus.nats);
  expect(await atOnce).toBeInstanceOf(TimeoutError);
});

test("other sizes are taken over without losing events or the consumer's place, and the services take any", async () => {
  await install();
  const { streams, consumers } = await manage();
  await bus.nats.request("events.payments.payment.status_changed", "{}");
  await install({ bytesMax: 10_000_000, ackWaitMs: 40_000 });
  const { config, state } = await streams.info(name);
  expect([config.max_bytes, state.messages]).toEqual([10_000_000, 1]);
  expect((await consumers.info(name, WEBHOOK_CONSUMER)).config.ack_wait).toBe(40 * 1e9);
  await requireConsumer(bus.nats);
});

test("what somebody has added to the stream is taken away again: copies, other subjects, silence", async () => {
  await install();
  const { streams, consumers } = await manage();
  await streams.update(name, {
    subjects: [...EVENT_STREAM.subjects, "payments.>", "_INBOX_gateway-operator.>"],
    no_ack: true,
    republish: { src: ">", dest: "_INBOX_refunds.spy.>" },
    sources: [{ name: "OTHER" }],
    subject_transform: { src: "events.>", dest: "elsewhere.>" },
    max_msg_size: 1,
    metadata: { owner: "somebody" },
  });
  await consumers.update(name, WEBHOOK_CONSUMER, { max_deliver: 3, headers_only: true });
  await expect(requireEventStream(bus.nats)).rejects.toBeInstanceOf(EventStreamSettingsError);
  await install();
  await requireConsumer(bus.nats);
});

test.each([
  ["another retention", { retention: RetentionPolicy.Workqueue }, "retention is"],
  ["memory for its storage", { storage: StorageType.Memory }, "storage is"],
  ["what cannot be taken back", { deny_purge: true }, "deny_purge is"],
])("a stream with %s is left as it is, and the error says what to do", async (_, config, difference) => {
  const { streams } = await manage();
  await streams.add({ name, subjects: [...EVENT_STREAM.subjects], ...config });
  const refused = await install().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(EventStreamSettingsError);
  expect((refused as Error).message).toContain(difference);
  expect((refused as Error).message).toContain("Delete it and run the installation again");
});

test("a consumer that delivers by itself is refused by those who make and by those who look", async () => {
  await install();
  const { consumers } = await manage();
  await consumers.delete(name, WEBHOOK_CONSUMER);
  await consumers.add(name, {
    durable_name: WEBHOOK_CONSUMER,
    deliver_policy: DeliverPolicy.All,
    deliver_subject: "payments.get",
  });
  await expect(requireConsumer(bus.nats)).rejects.toThrow('deliver_subject is "payments.get"');
  await expect(install()).rejects.toThrow("deliver_subject");
});

test("kept: it is there again after all of JetStream's data is lost, and what differs is not touched", async () => {
  let made = 0;
  const kept = keepEventStream(bus, sizes, { intervalMs: 20, onMade: () => made++ });
  onTestFinished(() => kept.stop());
  // Once a round is over: a consumer that is deleted in the middle of one is made again by the next, and counted there.
  const expectMade = async (times: number) => {
    await eventually(() => expect(made).toBe(times));
    await requireConsumer(bus.nats);
  };
  await expectMade(1);
  const { streams, consumers } = await manage();
  await streams.delete(name);
  await expectMade(2);
  await consumers.delete(name, WEBHOOK_CONSUMER);
  await expectMade(3);

  await streams.update(name, { no_ack: true });
  await nats.kill();
  await nats.restart();
  await eventually(() =>
    requireEventStream(bus.nats).catch((error: unknown) => {
      if (!(error instanceof EventStreamSettingsError)) throw error;
    }),
  );
  await expect(requireEventStream(bus.nats)).rejects.toThrow("no_ack is true");
  expect(made).toBe(3);

  // The keeper changes nothing, even if it creates a missing part beside it.
  await (await manage()).consumers.delete(name, WEBHOOK_CONSUMER);
  await eventually(() => expect(made).toBe(4));
  await expect(requireEventStream(bus.nats)).rejects.toThrow("no_ack is true");
});
