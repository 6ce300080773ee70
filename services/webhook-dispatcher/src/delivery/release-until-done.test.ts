import { eventually } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import type { LeasedDelivery } from "./leased-delivery.ts";
import { releaseUntilDone } from "./release-until-done.ts";

const delivery = (deliveryId: string, leaseMs = 30_000) =>
  ({ deliveryId, leasedUntil: performance.now() + leaseMs }) as LeasedDelivery;

/** A database that is away until it is said to be back. */
function outage() {
  let away = true;
  const asked: string[][] = [];
  const failures: unknown[] = [];
  const giveBack = releaseUntilDone({
    async release(deliveries) {
      asked.push(deliveries.map(({ deliveryId }) => deliveryId));
      if (away) throw new Error("no database connection");
    },
    onFailed: (error) => failures.push(error),
  });
  return { asked, failures, giveBack, end: () => void (away = false) };
}

test("leases are released when the database is back, once each, and together", async () => {
  const { asked, failures, giveBack, end } = outage();
  const leased = Array.from({ length: 20 }, (_, index) => delivery(`d${index}`));
  const done = Promise.all([giveBack(leased.slice(0, 10)), giveBack(leased.slice(10))]);
  await eventually(() => expect(failures.length).toBeGreaterThan(1));
  end();
  await done;
  const released = asked.slice(failures.length);
  expect(released.flat().toSorted()).toEqual(leased.map(({ deliveryId }) => deliveryId).toSorted());
  // The first ones may be tried a moment before the ones collected behind them.
  expect(released.length).toBeLessThanOrEqual(2);
});

test("a lease that has ended is not released any more", async () => {
  const { asked, giveBack } = outage();
  await giveBack([delivery("a", 700), delivery("b", -1)]);
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(asked.flat()).not.toContain("b");
});
