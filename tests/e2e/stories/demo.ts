import { runMerchantDay } from "@holdfast/demo";
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
