import { columnsOf, createTestDatabase } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import type { ConsoleDatabase } from "./database.ts";

/** Every column as the types have it; the compiler keeps this list and the types the same. */
const COLUMNS: {
  [Table in keyof ConsoleDatabase]: Record<keyof ConsoleDatabase[Table], "null" | "not null">;
} = {
  session: {
    session_hash: "not null",
    subject: "not null",
    provider_session: "null",
    sealed: "not null",
    authenticated_at: "not null",
    access_ends_at: "not null",
    created_at: "not null",
    seen_at: "not null",
    ends_at: "not null",
  },
  logout_token: { token_hash: "not null", created_at: "not null" },
  kept_form: {
    form_hash: "not null",
    person_hash: "not null",
    sealed: "not null",
    created_at: "not null",
  },
};

test("the tables' types are what the migrations make", async () => {
  const database = await createTestDatabase();
  expect(await columnsOf(database, "console")).toEqual(COLUMNS);
  await database.drop();
});
