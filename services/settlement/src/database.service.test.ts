import { columnsOf, createTestDatabase } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import type { SettlementDatabase } from "./database.ts";

/** Every column as the types have it; the compiler keeps this list and the types the same. */
const COLUMNS: {
  [Table in keyof SettlementDatabase]: Record<keyof SettlementDatabase[Table], "null" | "not null">;
} = {
  fact: {
    fact_id: "not null",
    account_id: "not null",
    parent_id: "null",
    merchant_id: "not null",
    kind: "not null",
    standing: "not null",
    amount_minor: "not null",
    currency: "not null",
    occurred_at: "not null",
    version: "not null",
    order_id: "not null",
    masked_pan: "not null",
    external_transaction_id: "null",
    auth_code: "null",
    ask_at: "null",
    asked: "not null",
    recorded_at: "not null",
  },
  account: {
    account_id: "not null",
    time_zone: "not null",
    settlement_days: "not null",
    fee_basis_points: "null",
    fee_fixed_minor: "not null",
    refunds_fee: "not null",
    compared_since: "null",
    created_at: "not null",
  },
  import: {
    import_id: "not null",
    account_id: "not null",
    mapping: "not null",
    mapping_version: "null",
    file_name: "not null",
    imported_by: "not null",
    sha256: "null",
    bytes: "not null",
    parts: "null",
    state: "not null",
    reason: "null",
    detail: "null",
    lines: "not null",
    faults: "not null",
    matched_at: "null",
    created_at: "not null",
    ended_at: "null",
    lease_token: "null",
    lease_until: "null",
  },
  import_part: { import_id: "not null", part_no: "not null", data: "not null" },
  line: {
    import_id: "not null",
    line_no: "not null",
    account_id: "not null",
    kind: "not null",
    reference: "null",
    reference_id: "null",
    bank_reference: "null",
    auth_code: "null",
    masked_pan: "null",
    item: "null",
    installment: "null",
    installments: "null",
    gross_minor: "not null",
    fee_minor: "not null",
    net_minor: "not null",
    currency: "not null",
    transacted_at: "null",
    settles_on: "null",
    payout_id: "null",
  },
  line_fault: { import_id: "not null", line_no: "not null", reason: "not null" },
  audit_entry: {
    sequence: "not null",
    at: "not null",
    actor: "not null",
    action: "not null",
    subject: "not null",
    detail: "not null",
    hash: "not null",
  },
};

test("the tables' types are what the migrations make", async () => {
  const database = await createTestDatabase();
  expect(await columnsOf(database, "settlement")).toEqual(COLUMNS);
  await database.drop();
});
