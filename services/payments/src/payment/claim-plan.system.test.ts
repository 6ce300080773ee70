import { randomUUID } from "node:crypto";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, executeBatch, measurePlan } from "@holdfast/tests/support";
import type { Client } from "pg";
import { expect, test } from "vitest";
import { CLAIM } from "./claim-statements.ts";
import { CLAIM_COLUMNS } from "./payment-statements.ts";
import { WRITE_SETTINGS } from "./payment-writes.ts";

const DECIDED = 20_000;
const CLAIMED = 10;
const MERCHANT = randomUUID();

/** The index of undecided orders has an entry for each payment that was undecided, until vacuum removes it. */
test.each(["plain", "keyed"] as const)(
  "a %s claim reads as many pages after many payments of its merchant as after none",
  async (kind) => {
    const database = await createTestDatabase();
    await withClient(database.urls.payments.owner, async (owner) => {
      await owner.query("set statement_timeout = 0");
      await owner.query("alter table payment set (autovacuum_enabled = off)");
      await owner.query(
        "select set_config(name, setting, false) from json_each_text($1) as given(name, setting)",
        [JSON.stringify(WRITE_SETTINGS)],
      );
      // Plans are made after an installation, before the table is analyzed, and kept.
      await owner.query(`prepare claim as ${CLAIM[kind].text}`);
      const few = await pagesOfClaim(owner);
      await owner.query(
        `insert into payment (payment_id, merchant_id, transaction_type, state, version, order_id, amount_minor,
          currency, currency_exponent, installment_count, commission_minor, request_ip, request_port, card_holder_name,
          masked_pan, pan_fingerprint, lease_token, lease_until, recover_at, claims_order, refunds_commission, pan_fingerprint_key_id, account_id)
        select gen_random_uuid(), $1, 'PAYMENT', 'AUTHORIZING', 1, 'old ' || n, 100, 'TRY', 2, 1, 0, '203.0.113.7', 443,
          'Ada Lovelace', '411111******1111', decode(repeat('00', 32), 'hex'), gen_random_uuid(), now(), now(), true, true, '0', gen_random_uuid()
        from generate_series(1, $2::integer) n`,
        [MERCHANT, DECIDED],
      );
      await owner.query(
        "update payment set state = 'SUCCESS', lease_token = null, lease_until = null, recover_at = null",
      );
      // Each payment and each of its index entries takes a few pages more of indexes that are deeper by now.
      expect(await pagesOfClaim(owner)).toBeLessThan(few + 40 * CLAIMED);
    });
    await database.drop();
  },
);

/** Pages that a claim of some payments reads and writes, by the plan that its connection has kept; it is rolled back. */
async function pagesOfClaim(client: Client): Promise<number> {
  const rows = Array.from({ length: CLAIMED }, claimRow);
  const text = executeBatch("claim", { before: [30_000, 60_000], columns: CLAIM_COLUMNS, rows });
  const { pages } = await measurePlan(client, { text });
  return pages;
}

function claimRow() {
  return {
    payment_id: randomUUID(),
    merchant_id: MERCHANT,
    account_id: randomUUID(),
    transaction_type: "PAYMENT",
    lease_token: randomUUID(),
    order_id: randomUUID(),
    amount_minor: 100,
    currency: "TRY",
    currency_exponent: 2,
    installment_count: 1,
    commission_minor: 0,
    request_ip: "203.0.113.7",
    request_port: 443,
    card_holder_name: "Ada",
    masked_pan: "411111******1111",
    pan_fingerprint: Buffer.alloc(32),
    pan_fingerprint_key_id: "k1",
    claims_order: true,
    state: "AUTHORIZING",
    refunds_commission: true,
  };
}
