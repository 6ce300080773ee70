import { installEventStream } from "@holdfast/installation";
import { connectBus } from "@holdfast/messaging";
import { eventually, startTestNats } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { createStreamMeasurement, type EventStreamState } from "./measure-event-stream.ts";

async function setUp() {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const bus = await connectBus({ url: nats.url, name: "measure" });
  onTestFinished(() => bus.close(1_000));
  const states: EventStreamState[] = [];
  return { nats, bus, states, measure: createStreamMeasurement((state) => void states.push(state)) };
}
const SIZES = { replicas: 1, bytesMax: 1_048_576, ackWaitMs: 30_000 };

test("the stream's copies and bytes are what it says", async () => {
  const { bus, states, measure } = await setUp();
  await installEventStream(bus, SIZES);
  await measure(bus.nats);
  expect(states).toEqual([{ copies: 1, copiesWanted: 1, bytes: expect.any(Number) }]);
});

test("while nobody answers for it there is no copy, and afterwards there is one again", async () => {
  const { nats, bus, states, measure } = await setUp();
  await measure(bus.nats);
  await installEventStream(bus, SIZES);
  await nats.kill();
  await measure(bus.nats);
  expect(states).toEqual([{ copies: 0 }, { copies: 0 }]);
  await nats.restart();
  await eventually(async () => {
    await measure(bus.nats);
    expect(states.at(-1)).toMatchObject({ copies: 1 });
  });
});
