import { randomUUID } from "node:crypto";
import { operations, testIdOf } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "../../../test/payments-harness.ts";
import type { BusinessEvents, UnresolvedMeasure } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { measureUnresolved } from "./measure-unresolved.ts";

const NONE = { count: 0, oldestSeconds: 0 };

test("outcomes that nobody knows are counted with the age of the oldest; what is merely under way is not", async () => {
  const payments = await startPaymentsHarness({
    RECOVERY_SCHEDULE: "100ms,1h",
    RECOVERY_INTERVAL: "30ms",
    REVERSE_UNSEEN_AFTER: "1h",
  });
  onTestFinished(() => payments.close());
  const pool = new Pool({ connectionString: payments.database.urls.payments.app });
  onTestFinished(() => pool.end());
  const measured: UnresolvedMeasure[] = [];
  const events = { unresolvedMeasured: (measure) => void measured.push(measure) } as BusinessEvents;
  const measure = () => measureUnresolved({ db: createDatabase<PaymentsDatabase>(pool), events });

  const paid = payments.command();
  expect(await payments.send(paid)).toMatchObject({ outcome: "done" });
  expect(await measure()).toEqual({ payment: NONE, operation: NONE });

  await payments.acquirerWill("authorize", "hang_before");
  const lost = payments.command();
  expect(await payments.send(lost)).toMatchObject({ outcome: "pending" });
  await eventually(async () => expect((await measure()).payment.count).toBe(1));
  await payments.acquirerWill("capture", "hang_before", 5);
  const capture = { paymentId: paid.paymentId, operationId: randomUUID() };
  expect(await payments.call(operations.capture.command, capture)).toMatchObject({ outcome: "pending" });

  const age = expect.toSatisfy((seconds: number) => seconds > 0 && seconds < 60);
  await payments.query(
    "update payments.payment set created_at = created_at - interval '2 days' where payment_id = $1",
    [lost.paymentId],
  );
  await eventually(async () =>
    expect(await measure()).toEqual({
      payment: { count: 1, oldestSeconds: expect.closeTo(2 * 86_400, -2) },
      operation: { count: 1, oldestSeconds: age },
    }),
  );
  expect(measured).toContainEqual({ payment: NONE, operation: NONE });

  // Nobody is woken by a merchant's tests.
  await payments.query("update payments.payment set merchant_id = $1, account_id = $1", [
    testIdOf(randomUUID()),
  ]);
  expect(await measure()).toEqual({ payment: NONE, operation: NONE });
});
