import { randomUUID } from "node:crypto";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBusinessEvents } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import { findRefund, type LeasedRefund } from "../refund/refund-queries.ts";
import { dropRefund } from "./drop-refund.ts";
import { requestRefund, type RequestRefundDeps } from "./request-refund.ts";
import type { RefundRequest } from "./claim-refund.ts";

/** Requests at instants that no race of real services hits reliably; only `payments` is played. */
let database: TestDatabase;
let pool: Pool;
let db: Kysely<RefundsDatabase>;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger("refunds", "fatal");
  pool = createPool({
    url: database.urls.refunds.app,
    connectionsMax: 4,
    applicationName: "test",
    log,
  });
  db = createDatabase<RefundsDatabase>(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function deps(payments: Partial<PaymentsPort>, now = Date.now): RequestRefundDeps {
  const events = createBusinessEvents(createLogger("refunds", "fatal"), { undecidedOverdueAfterMs: 1 });
  return { db, payments: payments as PaymentsPort, events, limits: { leaseMs: 1_000 }, now };
}

const request = (): RefundRequest => ({
  refundId: randomUUID(),
  paymentId: randomUUID(),
  merchantId: randomUUID(),
  amountMinor: 100n,
  currency: "TRY",
  requestedBy: undefined,
  reason: undefined,
  credentialIssuedBy: undefined,
  traceparent: null,
  deadlineAt: Date.now() + 5_000,
  idempotency: undefined,
});

test("a claim that is committed past the deadline asks payments nothing", async () => {
  const asked = request();
  // The first look at the clock is before the claim, the next after its commit.
  const times = [asked.deadlineAt - 1_000, asked.deadlineAt + 1];
  const reserved: string[] = [];
  const payments = {
    reserve: async ({ refund_id }: { refund_id: string }) => {
      reserved.push(refund_id);
      return { outcome: "in_doubt" } as const;
    },
  };
  const reply = await requestRefund(
    deps(payments, () => times.shift() ?? asked.deadlineAt + 1),
    asked,
  );
  expect(reply).toEqual({ outcome: "not_started" });
  expect(reserved).toEqual([]);
  expect(await findRefund(db, asked.refundId)).toBeUndefined();
});

test("a request is dropped only under the lease it was claimed with", async () => {
  const asked = request();
  let claimed: LeasedRefund | undefined;
  const payments = {
    reserve: async () => {
      claimed = { ...(await findRefund(db, asked.refundId)), state_age_ms: 0 } as LeasedRefund;
      return { outcome: "in_doubt" } as const;
    },
  };
  expect(await requestRefund(deps(payments), asked)).toEqual({ outcome: "in_doubt" });
  const drop = () => db.transaction().execute((trx) => dropRefund(trx, claimed!));
  expect(await drop()).toBe(false);
  expect(await findRefund(db, asked.refundId)).toMatchObject({
    state: "RESERVING",
    recover_at: expect.any(Date),
  });
  await db
    .updateTable("refund")
    .set({ lease_token: claimed!.lease_token })
    .where("refund_id", "=", asked.refundId)
    .execute();
  expect(await drop()).toBe(true);
});
