import type { ClaimedEvent } from "@holdfast/outbox";
import { expect, test } from "vitest";
import type { RecordRow } from "./payment-statements.ts";
import { writeWithEvents, type WrittenRow } from "./write-with-events.ts";

/** A relay that notes what it is given after a commit. */
function relayOf(claimMs: number | null) {
  const published: ClaimedEvent[][] = [];
  return {
    published,
    beginWriting: () => ({ claimMs, committed: (events: ClaimedEvent[]) => void published.push(events) }),
  };
}

const recordOf = (name: string, webhook_body: Buffer | null = Buffer.from(name)) =>
  ({
    payment_id: `payment ${name}`,
    lease_token: `lease ${name}`,
    webhook_body,
    event_type: "payment.status_changed",
    traceparent: null,
  }) as RecordRow;
const rowOf = (name: string): WrittenRow => ({
  lease_token: `lease ${name}`,
  event_id: `event ${name}`,
  merchant_id: "merchant",
  status: "SUCCESS",
});

test("what was written with an event is published with what the row has", async () => {
  const relay = relayOf(10_000);
  const items = [recordOf("a"), recordOf("not final", null), recordOf("overtaken")];
  const write = async (claimMs: number | null) => {
    expect(claimMs).toBe(10_000);
    return [rowOf("not final"), rowOf("a")];
  };
  expect(await writeWithEvents(relay, items, write)).toEqual([true, true, false]);
  expect(relay.published).toEqual([
    [
      {
        event_id: "event a",
        event_type: "payment.status_changed",
        merchant_id: "merchant",
        payment_id: "payment a",
        status: "SUCCESS",
        body: Buffer.from("a"),
        traceparent: null,
        publish_attempts: 1,
      },
    ],
  ]);
});

test("nothing is published of a statement that was rolled back, or whose answer was lost", async () => {
  const relay = relayOf(10_000);
  const lost = async () => await Promise.reject<WrittenRow[]>(new Error("connection lost"));
  await expect(writeWithEvents(relay, [recordOf("a")], lost)).rejects.toThrow("connection lost");
  expect(relay.published).toEqual([]);
});
