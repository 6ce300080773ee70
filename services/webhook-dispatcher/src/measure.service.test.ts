import { createTestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, test } from "vitest";
import type { BusinessEvents, DispatcherState } from "./business-events.ts";
import { createDatabase } from "@holdfast/postgres";
import type { DeliveryQueue } from "./delivery/delivery-queue.ts";
import { measureState } from "./measure.ts";

test("the oldest due delivery is found behind any endpoint; what is leased or sent by hand does not count, nor an endpoint that is off", async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.urls.webhooks.app });
  const superuser = new Pool({ connectionString: database.superuserUrl });
  const states: DispatcherState[] = [];
  const measure = async () => {
    const queue = { measure: () => ({ inFlight: 0, breakersOpen: 0 }) } as DeliveryQueue;
    const events = { measured: (state) => states.push(state) } as Partial<BusinessEvents> as BusinessEvents;
    await measureState(createDatabase(pool), queue, events);
    return states.at(-1)!.oldestDueAgeMs;
  };
  const insert = (merchant: number, ageSeconds: number, change: "" | "leased" | "manual" = "") =>
    superuser.query(
      `with inserted as (
         insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
         select uuid_extract_timestamp(drawn.id), drawn.id, 'payments', 'payment.status_changed', $1, gen_random_uuid(),
           'SUCCESS', '{}'
         from (select uuidv7() as id) as drawn
         returning event_id, occurred_at, merchant_id
       )
       insert into webhooks.delivery
         (event_id, occurred_at, endpoint_id, trigger, due_at, deadline_at, lease_token, lease_until)
       select event_id, occurred_at, merchant_id, $3, now() - $2 * interval '1 second', now() + interval '1 hour',
         case when $4 then gen_random_uuid() end, case when $4 then now() + interval '1 hour' end
       from inserted`,
      [
        `00000000-0000-4000-8000-00000000000${merchant}`,
        ageSeconds,
        change === "manual" ? "manual" : "schedule",
        change === "leased",
      ],
    );
  try {
    expect(await measure()).toBe(0);
    for (const merchant of [1, 2, 3]) {
      await superuser.query(
        "insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id) values ($1, $1, 'https://shop.example', decode('01026b31', 'hex'), 'r')",
        [`00000000-0000-4000-8000-00000000000${merchant}`],
      );
    }
    await insert(1, 100);
    await insert(2, 5_000, "leased");
    await insert(2, 6_000, "manual");
    await insert(2, 700);
    await insert(3, 300);
    expect(Math.floor((await measure()) / 10_000)).toBe(70);
    expect(states.at(-1)).toMatchObject({ endpointsFailing: 0, longestFailingMs: 0 });

    // A delivery to an endpoint with an open circuit breaker waits for its merchant. It is measured
    // separately while its dispatcher still reports the breaker.
    const breaker = (isOpen: boolean, reportedAt: string) =>
      superuser.query(
        `insert into webhooks.endpoint_health (endpoint_id, breaker_open, reported_at)
         values ('00000000-0000-4000-8000-000000000002', $1, now() - $2::interval)
         on conflict (endpoint_id) do update set breaker_open = excluded.breaker_open, reported_at = excluded.reported_at`,
        [isOpen, reportedAt],
      );
    await breaker(true, "5 seconds");
    expect(Math.floor((await measure()) / 10_000)).toBe(30);
    expect(Math.floor(states.at(-1)!.oldestDueBehindBreakerMs / 10_000)).toBe(70);
    await breaker(true, "1 hour");
    expect(Math.floor((await measure()) / 10_000)).toBe(70);
    await breaker(false, "5 seconds");
    expect(Math.floor((await measure()) / 10_000)).toBe(70);
    expect(states.at(-1)!.oldestDueBehindBreakerMs).toBe(0);
    await superuser.query("delete from webhooks.endpoint_health");

    // One of the three that fail is off, and one has recovered.
    await superuser.query(
      `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
       select endpoint_id, case when row_number() over (order by endpoint_id) > 1 then now() - interval '600 s' end, true, now()
       from webhooks.endpoint`,
    );
    await superuser.query(
      "update webhooks.endpoint set state = 'waiting' where merchant_id = '00000000-0000-4000-8000-000000000003'",
    );
    await measure();
    expect(states.at(-1)!.endpointsFailing).toBe(1);
    expect(Math.floor(states.at(-1)!.longestFailingMs / 100_000)).toBe(6);
    // Nothing is late at endpoints that are switched off.
    await superuser.query("update webhooks.endpoint set state = 'skipping'");
    expect(await measure()).toBe(0);
  } finally {
    await Promise.all([pool.end(), superuser.end()]);
  }
});
