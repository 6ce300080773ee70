import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Ledger } from "@holdfast/simulator-kit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { entryOf, type LedgerLine } from "./ledger-entry.ts";
import { Bank } from "./bank.ts";
import type { OperationRequest } from "./operation-request.ts";
import { Teller } from "./teller.ts";

let folder: string;
let ledger: Ledger<LedgerLine>;
let teller: Teller;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "teller-"));
  const bank = new Bank();
  ledger = await Ledger.open(join(folder, "ledger.ndjson"), (line) => bank.apply(entryOf(line)));
  teller = new Teller(bank, ledger, { bindsUnseen: true, repetition: "replay" });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await ledger.close();
  await rm(folder, { recursive: true });
});

const ordinary = { isExpired: false, forcedCode: undefined, isPartial: false };
const sale: OperationRequest = {
  operation: "sale",
  reference: "sale-1",
  parentReference: null,
  amountMinor: 100n,
  currency: "EUR",
  pan: "4111111111111111",
  expiresAtMs: 0,
};
const reversal: OperationRequest = { ...sale, operation: "reverse", pan: null };
const refund: OperationRequest = {
  ...sale,
  operation: "refund",
  reference: "refund-1",
  parentReference: "sale-1",
  pan: null,
};

test.each([
  ["the first call", () => undefined, () => teller.operate(sale, ordinary)],
  ["a repeat", () => void teller.operate(sale, ordinary), () => teller.operate(sale, ordinary)],
  ["an inquiry", () => void teller.operate(sale, ordinary), () => teller.inquire("sale-1")],
  ["a reversal", () => void teller.operate(sale, ordinary), () => teller.reverse(reversal, ordinary)],
  [
    "a repeated reversal",
    () => void teller.reverse(reversal, ordinary),
    () => teller.reverse(reversal, ordinary),
  ],
  [
    "a refused reversal",
    () => {
      void teller.operate(sale, ordinary);
      void teller.operate(refund, ordinary);
    },
    () => teller.reverse(reversal, ordinary),
  ],
])("%s is not answered from what the disk does not hold yet", async (_name, before, ask) => {
  const disk = await gatedDisk();
  before();
  let isAnswered = false;
  const answer = ask().then(() => (isAnswered = true));
  await disk.reached;
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  disk.open();
  await answer;
});

test("the first outcome stands whatever a repeat's circumstances are", async () => {
  const first = await teller.operate(sale, ordinary);
  expect(await teller.operate(sale, { isExpired: true, forcedCode: "05", isPartial: true })).toEqual(first);
});

test("a reversal that arrives after its expiry has expired, unless it was done before", async () => {
  const expired = { ...ordinary, isExpired: true };
  const late = await teller.reverse(reversal, expired);
  expect(late).toMatchObject({ body: { outcome: "expired", resultCode: "expired_request" } });
  expect(await teller.inquire("sale-1")).toMatchObject({ outcome: "not_found" });
  await teller.reverse(reversal, ordinary);
  expect(await teller.reverse(reversal, expired)).toMatchObject({ body: { outcome: "reversed" } });
});

async function gatedDisk() {
  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  vi.spyOn(prototype, "datasync").mockImplementation(() => {
    reached.resolve();
    return gate.promise;
  });
  return { open: gate.resolve, reached: reached.promise };
}
