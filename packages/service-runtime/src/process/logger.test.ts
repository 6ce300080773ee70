import fs, { mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseError } from "pg";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLogger, flushLog } from "./logger.ts";

function capture() {
  const lines: string[] = [];
  const log = createLogger("test", "info", { write: (line: string) => void lines.push(line) });
  return { log, lines };
}

test("a field that is not on the list goes nowhere, whatever it holds", () => {
  const { log, lines } = capture();
  log.info({ pan: "4111111111111111", apiSecret: "hs_x", body: { cvv: "123" }, paymentId: "p1" }, "request");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toEqual({
    level: "info",
    time: expect.any(String),
    service: "test",
    paymentId: "p1",
    msg: "request",
  });
});

test("a line about what failed without an error has none", () => {
  const { log, lines } = capture();
  log.warn({ outcome: "not_started", error: undefined }, "command not carried out");
  expect(JSON.parse(lines[0]!)).toEqual({
    level: "warn",
    time: expect.any(String),
    service: "test",
    outcome: "not_started",
    msg: "command not carried out",
  });
});

test("text with line breaks and JSON in it stays one line and one field", () => {
  const { log, lines } = capture();
  const forged = 'x"}\r\n{"level":50,"msg":"forged\u2028"}';
  log.info({ reason: forged, error: new Error(forged) }, forged);
  expect(lines.join("").trimEnd().split(/\r|\n/)).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: "info", reason: forged, msg: forged });
});

test("of a database error what repeats row values is left out", () => {
  const { log, lines } = capture();
  const error = new DatabaseError('duplicate key value "4111111111111111"', 0, "error");
  Object.assign(error, {
    code: "23505",
    table: "payment",
    constraint: "payment_pkey",
    detail: "Key (pan)=(4111111111111111)",
    where: "row 4111111111111111",
    hint: "4111111111111111",
  });
  log.error({ error: new Error("could not write", { cause: error }) }, "failed");
  expect(lines.join("")).not.toContain("41111111");
  expect(JSON.parse(lines[0]!)).toMatchObject({
    error: { cause: { code: "23505", table: "payment", constraint: "payment_pkey" } },
  });
});

test("what was logged while an earlier line was being written is written, too, before the process may end", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "holdfast-log-")), "log");
  const log = createLogger(
    "test",
    "info",
    pino.destination({ fd: openSync(file, "w"), sync: false, minLength: 4_096 }),
  );
  log.info("first");
  log.flush();
  log.info("second");
  await flushLog(log);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: "first" }, { msg: "second" }]);
});

test("lines that are logged together are one write a moment later, and without a line nothing is written", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const written: string[] = [];
  const write = vi.spyOn(fs, "write").mockImplementation((...given: unknown[]) => {
    const text = given[1] as string;
    written.push(text);
    (given.at(-1) as (error: null, bytes: number) => void)(null, Buffer.byteLength(text));
  });
  onTestFinished(() => {
    vi.useRealTimers();
    write.mockRestore();
  });
  const log = createLogger("test", "info");
  await new Promise(setImmediate);
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual([]);
  log.info("one");
  log.info("two");
  vi.advanceTimersByTime(60_000);
  expect(written).toHaveLength(1);
  expect(written[0]!.match(/"msg":"(one|two)"/g)).toHaveLength(2);
  log.info("three");
  vi.advanceTimersByTime(60_000);
  expect(written).toHaveLength(2);
});
