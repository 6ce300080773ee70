import { EVENT_STREAM } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startOutboxHarness, type OutboxHarness } from "../test/outbox-harness.ts";
import { createEventBuffer, beginWriting } from "./event-buffer.ts";
import { confirm } from "./outbox-statements.ts";
import type { OutboxSettings } from "./outbox-settings.ts";
import { createRelayRound, startOutboxRelay, type OutboxRelay } from "./relay.ts";

// Events that their process publishes after its commit, without asking the outbox for them.
let harness: OutboxHarness;
let relays: OutboxRelay[];
beforeEach(async () => {
  harness = await startOutboxHarness();
  relays = [];
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop(1_000)));
  await harness.close();
});

/** A relay that looks into the outbox within 20 s of its start and its events, and later only when nudged. */
function relay(change: Partial<OutboxSettings> = {}): OutboxRelay {
  const { pool, bus, log } = harness;
  const settings = harness.settings({ OUTBOX_POLL_INTERVAL: 3_600_000, ...change });
  const started = startOutboxRelay({ pool, bus, source: "payments", settings, log });
  relays.push(started);
  return started;
}

/** A process's memory, and its rounds one by one. */
function rounds() {
  const { pool, bus, log } = harness;
  const kept = createEventBuffer();
  const next = createRelayRound({ pool, bus, source: "payments", settings: harness.settings(), log, kept });
  const beginning = (claimMs: number | null = 10_000) => ({
    beginWriting: () => beginWriting(kept, { claimMs, wake: () => {}, nudge: () => {} }),
  });
  return { kept, next, writer: beginning() };
}

const msgIds = async () => (await harness.published()).map(({ msgId }) => msgId);
/** Lets all rows be due, as after the time for which a claim holds. */
const claimsEnd = () => harness.superuser.query("update payments.outbox set publish_at = now()");

test("what is committed leaves without a claim, and is due again soon unless it is confirmed", async () => {
  const process = relay();
  const { ids, committed } = await harness.write(process);
  committed();
  await eventually(async () => expect(await msgIds()).toEqual(ids.map((id) => `${id}:1`)));
  const [row] = await harness.rows();
  expect(row).toMatchObject({ publish_attempts: 1, confirmed: false });
  expect(row!.due_in_ms).toBeLessThanOrEqual(10_000);
});

test("a round that publishes from memory claims nothing, and a relay beside it finds nothing to claim", async () => {
  const { next, writer } = rounds();
  const { committed } = await harness.write(writer, 3);
  const other = rounds();
  await other.next();
  expect(await msgIds()).toEqual([]);
  committed();
  const forgotten = await harness.record();
  expect(await next({ look: false })).toBe("idle");
  expect(await msgIds()).toHaveLength(3);
  await other.next();
  expect(await msgIds()).toHaveLength(4);
  expect((await msgIds()).at(-1)).toBe(`${forgotten}:1`);
});

test("the process dies between commit and publishing: others publish when its claim is over, and once", async () => {
  const dead = rounds();
  const { ids } = await harness.write(dead.writer, 5);
  const [one, two] = [rounds(), rounds()];
  await Promise.all([one.next(), two.next()]);
  expect(await msgIds()).toEqual([]);
  await claimsEnd();
  await Promise.all([one.next(), two.next()]);
  expect(new Set(await msgIds())).toEqual(new Set(ids.map((id) => `${id}:2`)));
  expect(await msgIds()).toHaveLength(5);
});

test("a process that starts finds what the one before had claimed, as soon as that claim is over", async () => {
  const { ids } = await harness.write(rounds().writer, 2);
  await harness.superuser.query("update payments.outbox set publish_at = now() + interval '1 second'");
  relay({ OUTBOX_REPUBLISH_AFTER: 2_000 });
  await eventually(async () => expect(new Set(await msgIds())).toEqual(new Set(ids.map((id) => `${id}:2`))));
});

test("what nobody confirms is published again soon after its claim is over, however seldom the outbox is looked at", async () => {
  const process = relay({ OUTBOX_REPUBLISH_AFTER: 1_000 });
  const { ids, committed } = await harness.write(process);
  committed();
  await eventually(async () => expect(await msgIds()).toContain(`${ids[0]}:2`));
});

test("two processes publish each what they have committed: every event is in the stream once", async () => {
  const processes = [relay({ OUTBOX_POLL_INTERVAL: 100 }), relay({ OUTBOX_POLL_INTERVAL: 100 })];
  const ids = (
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const written = await harness.write(processes[index % 2]!, 5);
        written.committed();
        return written.ids;
      }),
    )
  ).flat();
  await eventually(async () => expect(new Set(await msgIds())).toEqual(new Set(ids.map((id) => `${id}:1`))));
  expect(await msgIds()).toHaveLength(200);
  expect((await harness.rows()).every(({ publish_attempts }) => publish_attempts === 1)).toBe(true);
});

test("what was confirmed before its process came to publish it again is not claimed", async () => {
  const { next, writer } = rounds();
  const { ids, committed } = await harness.write(writer, 2);
  committed();
  await next();
  await confirm(harness.pool, ids);
  await claimsEnd();
  await next();
  expect(await msgIds()).toHaveLength(2);
});

test("while the bus is away rows are left to be claimed, and all leave when it is back", async () => {
  const process = relay();
  await harness.nats.kill();
  await eventually(() => expect(harness.bus.connected).toBe(false));
  const { isClaimed, ids, committed } = await harness.write(process, 3);
  expect(isClaimed).toBe(false);
  committed();
  expect((await harness.rows()).map(({ publish_attempts }) => publish_attempts)).toEqual([0, 0, 0]);
  await harness.nats.restart();
  await eventually(async () => expect(new Set(await msgIds())).toEqual(new Set(ids.map((id) => `${id}:1`))));
});

test("the bus goes away between commit and publishing: what is kept leaves when it is back", async () => {
  const { kept, next, writer } = rounds();
  const { ids, committed } = await harness.write(writer, 2);
  committed();
  await harness.nats.kill();
  await eventually(() => expect(harness.bus.connected).toBe(false));
  expect(await next({ look: false })).toBe("failed");
  expect(kept.size).toBe(2);
  await harness.nats.restart();
  await eventually(async () => expect(await next({ look: false })).toBe("idle"));
  expect(new Set(await msgIds())).toEqual(new Set(ids.map((id) => `${id}:1`)));
});

test("a stream that takes nothing: what was kept can be claimed again, and what comes is not kept", async () => {
  const process = relay();
  // A round of this process has found the stream as it should be.
  (await harness.write(process)).committed();
  await eventually(async () => expect(await msgIds()).toHaveLength(1));
  // The relay's next look would find another stream, which ends a process.
  await process.stop(10_000);
  const { streams } = await jetstreamManager(harness.bus.nats);
  const limitSize = async (max_msg_size: number) => await streams.update(EVENT_STREAM.name, { max_msg_size });

  const { next, writer } = rounds();
  await next();
  await limitSize(1);
  const { ids, committed } = await harness.write(writer);
  committed();
  expect(await next({ look: false })).toBe("failed");
  expect((await harness.rows()).at(-1)).toMatchObject({ event_id: ids[0], publish_attempts: 0 });
  await limitSize(-1);
  await eventually(async () => expect(await next()).toBe("idle"));
  expect(await msgIds()).toContain(`${ids[0]}:1`);
});

test("a relay that stops publishes what it has kept", async () => {
  const process = relay();
  // The second event would wait for a tenth of a second after the first one's round.
  (await harness.write(process)).committed();
  const { committed } = await harness.write(process, 2);
  committed();
  await process.stop(10_000);
  expect(await msgIds()).toHaveLength(3);
  expect((await harness.write(process)).isClaimed).toBe(false);
});
