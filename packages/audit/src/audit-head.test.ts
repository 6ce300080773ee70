import { expect, test } from "vitest";
import { auditHeadIn, formatAuditHead, parseAuditHead } from "./audit-head.ts";

const head = { chain: "refunds", sequence: 7, hash: "ab".repeat(32), at: "2026-11-20T12:00:00.000Z" };
const logged = JSON.stringify({ level: "info", service: "refunds", head, msg: "audit head" });

test.each([
  ["as it is sent to the sink", JSON.stringify(head)],
  ["in a log line", logged],
  ["in a log line of compose", `refunds-1  | ${logged}`],
  ["in a log line with a time of the collector", `2026-11-20T12:00:00.1Z stdout F ${logged}`],
])("a head is found %s", (_, line) => {
  expect(auditHeadIn(line)).toEqual(head);
});

test.each([
  ["an empty line", ""],
  ["another log line", JSON.stringify({ level: "info", msg: "request" })],
  ["a line that was cut", logged.slice(0, -20)],
  ["a head without a hash", JSON.stringify({ ...head, hash: "" })],
  ["a head of no entry", JSON.stringify({ ...head, sequence: 0 })],
  ["a name that is no schema's", JSON.stringify({ ...head, chain: "refunds; drop" })],
])("%s has no head", (_, line) => {
  expect(auditHeadIn(line)).toBeUndefined();
});

test("a head can be copied by hand", () => {
  const { at: _, ...copied } = head;
  expect(parseAuditHead(formatAuditHead(head))).toEqual(copied);
  for (const text of ["refunds:7", `refunds:x:${head.hash}`, `refunds:0:${head.hash}`, `:7:${head.hash}`]) {
    expect(parseAuditHead(text)).toBeUndefined();
  }
});
