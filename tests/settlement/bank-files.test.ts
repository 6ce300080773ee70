import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readWhole, shippedMapping } from "../../services/settlement/test/written-file.ts";
import { startBank } from "@holdfast/bank-simulator";
import { paymentBody, sandboxKeys, Shop } from "../../tools/bank-simulator/src/protocols/iyzico/test/shop.ts";
import {
  auth,
  preAuth,
  startTestBank,
} from "../../tools/bank-simulator/src/protocols/nestpay/test/test-bank.ts";

/** Our id as an order number of that bank. */
const orderOf = (id: string) => id.replaceAll("-", "");

test("a statement that the played Nestpay bank writes is read whole, with our ids", async () => {
  await using bank = await startTestBank();
  const [sold, captured, voided, parts] = Array.from({ length: 4 }, () => randomUUID());
  await bank.ask(auth(orderOf(sold!)));
  await bank.ask(preAuth(orderOf(captured!)));
  await bank.ask({ Type: "PostAuth", OrderId: orderOf(captured!), Total: "10" });
  await bank.ask(auth(orderOf(voided!)));
  await bank.ask({ Type: "Void", OrderId: orderOf(voided!) });
  await bank.ask(auth(orderOf(parts!), { Taksit: "3", Total: "100.00" }));
  await bank.endDay();
  await bank.ask({ Type: "Credit", OrderId: orderOf(sold!), Total: "2.50" });
  await bank.endDay();
  const folder = `${bank.ledgerFile}.settlement`;
  const mapping = await shippedMapping("nestpay");
  const seen = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const { lines, faults } = await readWhole(mapping, await readFile(join(folder, name)));
    expect(faults).toEqual([]);
    for (const line of lines) expect(line.grossMinor - line.feeMinor).toBe(line.netMinor);
    seen.push(
      ...lines.map(({ kind, referenceId, grossMinor, installments }) => [
        kind,
        referenceId,
        grossMinor,
        installments,
      ]),
    );
  }
  expect(seen).toEqual([
    ["SALE", sold, 1_250n, 1],
    ["SALE", captured, 1_000n, 1],
    ["SALE", voided, 1_250n, 1],
    ["VOID", voided, -1_250n, 1],
    ["SALE", parts, 3_334n, 3],
    ["SALE", parts, 3_333n, 3],
    ["SALE", parts, 3_333n, 3],
    ["REFUND", sold, -250n, 1],
  ]);
});

test("a file that the played iyzico writes is read whole, and nothing of its buyers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "settlement-iyzico-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const ledgerFile = join(folder, "ledger.ndjson");
  const merchants = [{ ...sandboxKeys, merchantId: "1000001" }];
  const bank = await startBank("iyzico", { ledgerFile, merchants });
  onTestFinished(() => bank.close());
  const shop = new Shop(bank);
  const [paid, refund] = [randomUUID(), randomUUID()];
  const { paymentId } = await shop.succeed("/payment/auth", paymentBody({ conversationId: paid }));
  await shop.succeed("/v2/payment/refund", {
    conversationId: refund,
    ip: "203.0.113.7",
    currency: "TRY",
    paymentId,
    price: 1,
  });
  await fetch(`${bank.url}/business-day/close`, { method: "POST" });
  const [name = ""] = await readdir(`${ledgerFile}.settlement`);
  const content = await readFile(join(`${ledgerFile}.settlement`, name));
  const { lines, faults } = await readWhole(await shippedMapping("iyzico"), content);
  expect(faults).toEqual([]);
  expect(new Set(lines.map(({ kind, referenceId }) => `${kind} ${referenceId}`))).toEqual(
    new Set([`SALE ${paid}`, `REFUND ${refund}`]),
  );
  for (const line of lines) {
    expect(line.grossMinor - line.feeMinor).toBe(line.netMinor);
    expect(line.kind === "REFUND" ? line.grossMinor < 0n : line.grossMinor > 0n).toBe(true);
  }
  expect(content.toString()).toContain("buyer@example.com");
  expect(Object.values(lines[0]!).join(" ")).not.toMatch(/buyer/i);
});
