import { expect, test } from "vitest";
import { startDeliveryTables } from "../../test/delivery-tables.ts";
import { insertWaiting } from "../../test/waiting-deliveries.ts";
import { claimDeliveries, releaseLeases } from "./claim-deliveries.ts";

const request = { limit: 500, leaseMs: 30_000, shiftMs: 0, after: undefined };

test("each endpoint gets the room that is known of it, and one that is unknown gets its own limit", async () => {
  const { superuser, pool } = await startDeliveryTables();
  const merchants = await insertWaiting(superuser, { merchants: 5, each: 20, dueInSeconds: -60 });
  // The first and the last id, one between two that are not named, and in no order.
  const rooms = [4, 0, 2].map((index) => ({ endpointId: merchants[index]!, room: index }));
  const claim = async (known: typeof rooms) => {
    const { deliveries } = await claimDeliveries(pool, { ...request, rooms: known });
    await releaseLeases(pool, deliveries);
    return merchants.map((id) => deliveries.filter(({ endpointId }) => endpointId === id).length);
  };
  expect(await claim(rooms)).toEqual([0, 8, 2, 8, 4]);
  expect(await claim([])).toEqual([8, 8, 8, 8, 8]);
});

test("a claim ends behind two thousand endpoints without room, and the next one goes on there", async () => {
  const { superuser, pool } = await startDeliveryTables();
  const merchants = await insertWaiting(superuser, { merchants: 2_100, each: 1, dueInSeconds: -60 });
  const healthy = [merchants[0]!, merchants.at(-1)!];
  const rooms = merchants.slice(1, -1).map((endpointId) => ({ endpointId, room: 0 }));
  const first = await claimDeliveries(pool, { ...request, rooms });
  expect(first).toMatchObject({ deliveries: [{ endpointId: healthy[0] }], after: merchants[2_000] });
  const second = await claimDeliveries(pool, { ...request, rooms, after: first.after });
  expect(second).toMatchObject({ deliveries: [{ endpointId: healthy[1] }], after: undefined });
});

test("deliveries whose event is gone take no place in their endpoint's queue", async () => {
  const { superuser, pool } = await startDeliveryTables();
  const [merchantId] = await insertWaiting(superuser, { merchants: 1, each: 20, dueInSeconds: -60 });
  await superuser.query("delete from webhooks.event");
  await superuser.query(
    `with made as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(drawn.id), drawn.id, 'payments', 'payment.status_changed', $1, gen_random_uuid(),
         'SUCCESS', '{}'
       from (select uuidv7() as id) as drawn
       returning occurred_at, event_id
     )
     insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     select event_id, occurred_at, $1, now(), now() + interval '1 day' from made`,
    [merchantId],
  );
  const { deliveries } = await claimDeliveries(pool, { ...request, rooms: [] });
  expect(deliveries).toMatchObject([{ merchantId }]);
});
