import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { importBins } from "./import-bins.ts";

const HEADER = "bin,bin_to,card_scheme,card_type,card_sub_type,issuer,country,loyalty_code,installments_max";

let payments: PaymentsHarness;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "holdfast-bins-"));
  payments = await startPaymentsHarness({ BIN_TABLE_REFRESH: "20ms" });
  await payments.startAnother();
});
afterAll(async () => {
  await payments.close();
  await rm(directory, { recursive: true });
});

const lookUp = (bin: string) => payments.call(operations.getBin.command, { bin });

/** Runs the command on these lines. */
async function run(lines: string[], ...flags: string[]): Promise<{ code: number; output: string }> {
  const file = join(directory, `${randomUUID()}.csv`);
  await writeFile(file, [HEADER, ...lines].join("\n"));
  let output = "";
  const env = {
    MIGRATION_DATABASE_URL: payments.database.urls.payments.owner,
    COMMAND_RUN_BY: "olga@example.com",
  };
  const code = await importBins([file, ...flags], env, (text) => void (output += text));
  return { code, output };
}

const stored = () => payments.query("select version, digits, bin_from from payments.bin_range order by 2, 3");

describe("until there is an import", () => {
  test("the shipped table counts", async () => {
    expect(await lookUp("411111")).toEqual({
      outcome: "done",
      result: {
        bin: "411111",
        cardScheme: "VISA",
        cardType: "CREDIT",
        cardSubType: "CLASSIC",
        country: "TR",
        domInt: "DOM",
        loyaltyCode: "BONUS",
        installmentCounts: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      },
    });
    expect(await lookUp("37828224")).toMatchObject({ result: { domInt: "INT", installmentCounts: [1] } });
    expect(await lookUp("999999")).toEqual({ outcome: "problem", code: "bin_not_found" });
  });
});

describe("an import", () => {
  test("replaces the table whole, and payments go by it without a restart", async () => {
    const idempotency = { key: randomUUID(), scope: "POST /api/payment" };
    const sale = (installmentCount: number) =>
      payments.call(
        operations.pay.command,
        { ...payments.command({ orderId: "repeated" }), installmentCount },
        { idempotency },
      );
    const before = await sale(12);
    expect(before).toMatchObject({ result: { cardSubType: "CLASSIC", domInt: "DOM", loyaltyCode: "BONUS" } });

    const { code, output } = await run([
      "41111100,41111199,VISA,DEBIT,ELECTRON,A bank,DE,,2",
      "411111,,VISA,CREDIT,,,TR,,1",
    ]);
    expect({ code, output }).toEqual({ code: 0, output: "2 BINs and ranges imported as version 1\n" });
    const known = {
      bin: "41111111",
      cardScheme: "VISA",
      cardType: "DEBIT",
      cardSubType: "ELECTRON",
      issuer: "A bank",
      country: "DE",
      domInt: "INT",
      installmentCounts: [1, 2],
    };
    // Both processes answer by turns, so ten new answers in a row show that each uses the new table.
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => lookUp("41111111")));
      for (const answer of answers) expect(answer).toEqual({ outcome: "done", result: known });
    });
    expect(await lookUp("555555")).toEqual({ outcome: "problem", code: "bin_not_found" });
    expect(
      await payments.call(operations.pay.command, { ...payments.command(), installmentCount: 2 }),
    ).toMatchObject({
      result: { cardType: "DEBIT", domInt: "INT", cardSubType: "ELECTRON" },
    });
    expect(
      await payments.call(operations.pay.command, { ...payments.command(), installmentCount: 3 }),
    ).toMatchObject({
      code: "installments_not_allowed",
      extra: { allowed: [1, 2] },
    });
    const [entry] = await payments.query("select actor, action, subject, detail from payments.audit_entry");
    expect(entry).toMatchObject({
      actor: "import-bins (olga@example.com)",
      action: "bins.imported",
      subject: "bins 1",
    });
    expect(entry!["detail"]).toContain('"ranges":2');

    await run(["555555,,MASTERCARD,CREDIT,,,TR,,1"]);
    await eventually(async () => expect(await lookUp("411111")).toMatchObject({ code: "bin_not_found" }));
    expect(await stored()).toEqual([{ version: 2, digits: 6, bin_from: 555555 }]);
  });

  test("does not make another request of one that was made before it", async () => {
    const idempotency = { key: randomUUID(), scope: "POST /api/pre-authorization" };
    await run(["411111,,VISA,CREDIT,CLASSIC,,TR,BONUS,1"]);
    await eventually(async () => expect(await lookUp("411111")).toMatchObject({ outcome: "done" }));
    const context = payments.context({ idempotency });
    const orderId = "order-1";
    const first = await payments.send(payments.command({ orderId }), context);
    await run(["411111,,VISA,CREDIT,CLASSIC,,TR,WORLD,1"]);
    await eventually(async () =>
      expect(await lookUp("411111")).toMatchObject({ result: { loyaltyCode: "WORLD" } }),
    );
    const again = { ...context, deadlineAt: Date.now() + 100_000 };
    expect(await payments.send(payments.command({ orderId }), again)).toEqual({ ...first, replayed: true });
  });

  test("of a file with a line at fault says so and changes nothing", async () => {
    const before = await stored();
    const { code, output } = await run(["411112,,VISA,CREDIT,,,TR,,1", "41111x,,VISA,CREDIT,,,TR,,1"]);
    expect(code).toBe(1);
    expect(output).toBe("line 3: bin must be 6 to 8 digits\nfaults: 1; nothing was imported\n");
    expect(await stored()).toEqual(before);
  });

  test("tried out changes nothing", async () => {
    const before = await stored();
    const { code, output } = await run(["411112,,VISA,CREDIT,,,TR,,1"], "--dry-run");
    expect({ code, output }).toEqual({
      code: 0,
      output: "1 BINs and ranges without faults; nothing was imported (dry run)\n",
    });
    expect(await stored()).toEqual(before);
  });

  test("that breaks off leaves the table as it was", async () => {
    const before = await stored();
    // The audit entry is the last thing it writes: without it there is no import.
    await payments.query(
      "alter table payments.audit_entry add constraint broken check (action <> 'bins.imported') not valid",
    );
    await expect(run(["411112,,VISA,CREDIT,,,TR,,1"])).rejects.toThrow("broken");
    await payments.query("alter table payments.audit_entry drop constraint broken");
    expect(await stored()).toEqual(before);
  });

  test("of many pages arrives whole", async () => {
    const lines = Array.from({ length: 25_000 }, (_, index) => `${40_000_000 + index},,VISA,CREDIT,,,TR,,1`);
    expect(await run(lines)).toMatchObject({ code: 0 });
    // Each of them, because any process may answer, and each process reads the new table in its own time.
    for (const bin of ["40024999", "40000000", "40012345"])
      await eventually(async () => expect(await lookUp(bin)).toMatchObject({ outcome: "done" }));
    expect(await lookUp("40025000")).toMatchObject({ code: "bin_not_found" });
  });
});

test.each([
  "insert into bin_import (ranges, file_sha256) values (1, '')",
  "delete from bin_range",
  "update bin_range set country = 'TR'",
])("the service's role may not %s", async (statement) => {
  await expect(
    withClient(payments.database.urls.payments.app, (client) => client.query(statement)),
  ).rejects.toMatchObject({ code: "42501" });
});
