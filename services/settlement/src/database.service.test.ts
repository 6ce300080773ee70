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
