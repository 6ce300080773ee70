import { randomUUID } from "node:crypto";
import { testIdOf } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { measureUnanswered } from "./measure-unanswered.ts";

test("open cases without evidence are counted from three days before their deadline until they have ended or have some", async () => {
  const payments = await startPaymentsHarness();
  onTestFinished(() => payments.close());
  const pool = new Pool({ connectionString: payments.database.urls.payments.app });
  onTestFinished(() => pool.end());
  const measure = () => measureUnanswered(createDatabase<PaymentsDatabase>(pool));
  const paid = payments.command();
  expect(await payments.send(paid)).toMatchObject({ outcome: "done" });
  /** @param respondBy from now on; null if the bank has named none. */
  const open = async (respondBy: string | null) => {
    const chargebackId = randomUUID();
    await payments.query(
      `insert into payments.chargeback (chargeback_id, payment_id, merchant_id, amount_minor, currency, counted_minor, excess_minor,
         respond_by)
       select $1, payment_id, merchant_id, 1, currency, 1, 0, now() + $2::interval from payments.payment where payment_id = $3`,
      [chargebackId, respondBy, paid.paymentId],
    );
    return chargebackId;
  };
  const addEvidence = (chargebackId: string, sealedAt: Date | null) =>
    payments.query(
      `insert into payments.chargeback_evidence (evidence_id, chargeback_id, file_name, bytes, sha256, added_by, sealed_at)
       values ($1, $2, 'receipt.pdf', 1, sha256('1'), 'olga', $3)`,
      [randomUUID(), chargebackId, sealedAt],
    );

  await open(null);
  await open("4 days");
  expect(await measure()).toEqual({ near: 0, passed: 0 });
  const near = await open("2 days");
  const passed = await open("-1 hour");
  expect(await measure()).toEqual({ near: 1, passed: 1 });

  await addEvidence(near, null);
  expect(await measure()).toEqual({ near: 1, passed: 1 });
  await addEvidence(near, new Date());
  expect(await measure()).toEqual({ near: 0, passed: 1 });
  await payments.query(
    "update payments.chargeback set status = 'LOST', ended_at = now() where chargeback_id = $1",
    [passed],
  );
  expect(await measure()).toEqual({ near: 0, passed: 0 });

  // Nobody is woken by a merchant's tests.
  await open("1 day");
  await payments.query("update payments.chargeback set merchant_id = $1", [testIdOf(randomUUID())]);
  expect(await measure()).toEqual({ near: 0, passed: 0 });
});
