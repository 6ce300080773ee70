import { createLogger } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { createCurrentAccounts, type AccountTable } from "./current-accounts.ts";

test("a read that began before another and ends after it changes nothing", async () => {
  const reads: PromiseWithResolvers<AccountTable>[] = [];
  const current = createCurrentAccounts(undefined as never, {
    log: createLogger("payments", "fatal"),
    read: () => {
      const reading = Promise.withResolvers<AccountTable>();
      reads.push(reading);
      return reading.promise;
    },
  });
  const table = (): AccountTable => ({
    accounts: new Map(),
    defaultAccount: undefined,
    testAccount: undefined,
    routes: new Map(),
  });
  const [old, young] = [table(), table()];
  const refreshes = [current.refresh(), current.refresh()];
  reads[1]!.resolve(young);
  await refreshes[1];
  expect(current.table()).toBe(young);
  reads[0]!.resolve(old);
  await refreshes[0];
  expect(current.table()).toBe(young);
});
