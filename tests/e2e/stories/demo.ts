import { printConsoleWalk, runMerchantDay } from "@holdfast/demo";
import { expect } from "vitest";
import type { RunningSandbox } from "../running-sandbox.ts";

export async function expectDemonstratedDay({ file }: RunningSandbox): Promise<void> {
  let printed = "";
  await runMerchantDay(file, (text) => (printed += text));
  expect(printed).toContain('"status": "COMPLETED"');
  expect(printed).toContain('"capturedAmount": 100');
  expect(printed).toContain('"status": "PENDING_APPROVAL"');
  expect(printed.match(/^webhook <- \S+  verified/gm)).toHaveLength(4);
  // The last part of an id may be digits, too.
  expect(printed).not.toMatch(/(?<!-)\b\d{12,19}(?!\S)/);
  expect(printed).not.toContain(file.operators[0]!.token);
}

export async function expectConsoleWalk({ file }: RunningSandbox): Promise<void> {
  let printed = "";
  await printConsoleWalk(file, (text) => (printed += text));
  // Each address that it names leads to the sign-in, and the refund that it speaks of waits.
  const addresses = printed.match(/http:\S+/g)!;
  expect(addresses.length).toBeGreaterThan(4);
  for (const address of addresses) {
    expect(address.startsWith(file.consoleUrl)).toBe(true);
    expect((await fetch(address, { redirect: "manual" })).status, address).toBe(303);
  }
  const refundId = /\/refunds\/(\S+)/.exec(printed)![1];
  const waiting = await fetch(`${file.operatorUrl}/operator/refunds/${refundId}`, {
    headers: { Authorization: `Bearer ${file.operators[0]!.token}` },
  });
  expect(await waiting.json()).toMatchObject({ state: "PENDING_APPROVAL" });
}
