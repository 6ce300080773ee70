import { randomBytes, randomUUID } from "node:crypto";
import { createDatabase, refuseMissingKeys, rowsByKey } from "@holdfast/postgres";
import { openBytesAtRest, sealAtRest } from "@holdfast/sealing";
import { createLogger } from "@holdfast/service-runtime";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { ownerOfEvidence } from "./evidence.ts";
import { evidenceKeysInUse, resealEvidence } from "./reseal-evidence.ts";

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const old = { activeId: "k1", keys: new Map([["k1", OLD]]) };
const both = {
  activeId: "k2",
  keys: new Map([
    ["k2", NEW],
    ["k1", OLD],
  ]),
};
const alone = { activeId: "k2", keys: new Map([["k2", NEW]]) };

test("evidence moves to the new key, and payments does not start without one that evidence still needs", async () => {
  const payments = await startPaymentsHarness();
  onTestFinished(() => payments.close());
  const pool = new Pool({ connectionString: payments.database.urls.payments.app });
  onTestFinished(() => pool.end());
  const db = createDatabase<PaymentsDatabase>(pool);
  const paid = payments.command();
  await payments.send(paid);
  const [chargebackId, evidenceId] = [randomUUID(), randomUUID()];
  await payments.query(
    `insert into payments.chargeback (chargeback_id, payment_id, merchant_id, amount_minor, currency, counted_minor, excess_minor)
     select $1, payment_id, merchant_id, 1, currency, 1, 0 from payments.payment where payment_id = $2`,
    [chargebackId, paid.paymentId],
  );
  await payments.query(
    `insert into payments.chargeback_evidence (evidence_id, chargeback_id, file_name, bytes, sha256, added_by, sealed_at)
     values ($1, $2, 'letter.pdf', 20, sha256('1'), 'olga', now())`,
    [evidenceId, chargebackId],
  );
  const contents = Array.from({ length: 16 }, () => randomBytes(20));
  for (const [part, content] of contents.entries())
    await payments.query(
      "insert into payments.chargeback_evidence_part (evidence_id, part, key_id, content) values ($1, $2, 'k1', $3)",
      [evidenceId, part, sealAtRest(old, ownerOfEvidence(evidenceId, part), content)],
    );
  const start = (ring: typeof old) =>
    refuseMissingKeys(db, evidenceKeysInUse(ring), {
      abandoned: new Set(),
      log: createLogger("test", "fatal"),
    });
  await expect(start(alone)).rejects.toThrow("FILE_KEYS lacks k1, which 16 parts of evidence still need");
  expect(await resealEvidence(db, alone, "keys (olga)")).toEqual({
    parts: 0,
    unreadable: new Set([evidenceId]),
  });
  expect(await resealEvidence(db, both, "keys (olga)")).toEqual({ parts: 16, unreadable: new Set() });
  await start(alone);
  expect(await rowsByKey(db, evidenceKeysInUse(both).rows)).toEqual(new Map([["k2", 16n]]));
  const stored = await payments.query<{ part: number; content: Buffer }>(
    "select part, content from payments.chargeback_evidence_part order by part",
  );
  for (const { part, content } of stored)
    expect(openBytesAtRest(alone, ownerOfEvidence(evidenceId, part), content)).toEqual(contents[part]);
  expect(
    await payments.query(
      "select actor, subject, detail from payments.audit_entry where action = 'evidence.resealed'",
    ),
  ).toEqual([
    { actor: "keys (olga)", subject: "FILE_KEYS k2", detail: JSON.stringify({ evidence: [evidenceId] }) },
  ]);
});
