import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPayments, insertRefunds } from "./list-rows.ts";
import { startListSystem, type ListSystem } from "./list-system.ts";

let system: ListSystem;
beforeAll(async () => {
  system = await startListSystem();
});
afterAll(() => system.close());

/** A little more than a page, and the size of a finance department's export, which takes seconds on a quiet machine. */
test.each([260, 100_000])(
  "a CSV of %d rows has each of them once",
  async (count) => {
    const shop = await system.openShop();
    const { merchantId } = shop;
    const refunds = count / 20;
    await insertPayments(system.query, { merchantId, count: count - refunds });
    await insertRefunds(system.query, { merchantId, count: refunds, apartMs: 20_000 });
    const stored = await system.query<{ id: string }>(
      `select payment_id as id from payments.payment where merchant_id = $1
     union all select refund_id from refunds.refund where merchant_id = $1`,
      [merchantId],
    );

    const { text } = await system.get(shop, "/api/payments", { accept: "text/csv" });
    const [, ...lines] = text.trimEnd().split("\r\n");
    expect(lines.pop()).toMatch(new RegExp(`^#rows,${count},+$`));
    // Compared as one text, because the list of all differences would be useless.
    const ids = (all: string[]) => all.toSorted().join(" ");
    const given = ids(lines.map((line) => line.slice(0, line.indexOf(","))));
    expect(given === ids(stored.map(({ id }) => id))).toBe(true);
  },
  1_200_000,
);
