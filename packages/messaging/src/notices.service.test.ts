import type { Notice } from "@holdfast/contracts";
import { eventually, startTestNats } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connectBus } from "./connect.ts";
import { onNotice, publishNotice } from "./notices.ts";

const changed: Notice<z.ZodObject<{ id: z.ZodString }>> = {
  publishers: [],
  listeners: [],
  subject: "asked.changed",
  payload: z.object({ id: z.string() }),
};

async function setUp() {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const connect = async () => {
    const bus = await connectBus({ url: nats.url, name: "asked" });
    onTestFinished(() => bus.close(1_000));
    return bus;
  };
  const [publisher, ...replicas] = await Promise.all([connect(), connect(), connect()]);
  const seen = replicas.map((): string[] => []);
  replicas.forEach((bus, index) => onNotice(bus, changed, ({ id }) => void seen[index]!.push(id)));
  await Promise.all(replicas.map((bus) => bus.nats.flush()));
  return { nats, publisher, replicas, seen };
}

test("a notice reaches every replica", async () => {
  const { publisher, seen } = await setUp();
  publishNotice(publisher, changed, { id: "1" });
  await eventually(() => expect(seen).toEqual([["1"], ["1"]]));
});

test("one that cannot be read is dropped, and the next one arrives", async () => {
  const { publisher, seen } = await setUp();
  for (const text of ["", "{", '{"id": 1}']) publisher.nats.publish(changed.subject, text);
  publishNotice(publisher, changed, { id: "2" });
  await eventually(() => expect(seen).toEqual([["2"], ["2"]]));
});

test("they go on after the bus was away", async () => {
  const { nats, publisher, replicas, seen } = await setUp();
  await nats.kill();
  await nats.restart();
  await Promise.all(replicas.map((bus) => bus.connection()));
  await eventually(() => {
    publishNotice(publisher, changed, { id: "3" });
    for (const ids of seen) expect(ids).toContain("3");
  });
});

test("publishing never fails, however the bus is", async () => {
  const { nats, publisher, replicas } = await setUp();
  await nats.kill();
  await eventually(() => [publisher, ...replicas].every((bus) => !bus.connected));
  publishNotice(publisher, changed, { id: "4" });
  await publisher.close(100);
  expect(() => publishNotice(publisher, changed, { id: "5" })).not.toThrow();
});
