import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Bank } from "./bank.ts";
import { BankClock } from "./bank-clock.ts";
import type { EndedDay } from "./book.ts";
import { LedgerCorruptError } from "./ledger.ts";
import { SettlementFolder } from "./settlement-folder.ts";
import { fileHandlePrototype, gatedDisk, saleOf } from "./test/test-bank.ts";

type Entry = { at: string; id: string };

let folder: string;
let ledgerFile: string;
let bank: Bank<Entry, string>;
/** Lines, events and days' ends, as they came. */
let told: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bank-"));
  ledgerFile = join(folder, "ledger.ndjson");
  bank = await openBank();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await bank.files.close();
  await rm(folder, { recursive: true });
});

test("a restart replays each event and each day's end in its place among the lines", async () => {
  await sell("a");
  await bank.note("asked");
  await bank.endDay();
  await sell("b");
  await Promise.all([bank.endDay(), bank.endDay(), sell("c")]);
  const before = told;
  const { closedAt } = bank;
  expect(before).toEqual(["a", "asked", "day 1: a", "b", "day 2: b", "day 3: ", "c"]);
  await restart();
  expect(told.toSorted()).toEqual(before.toSorted());
  expect(told.filter((each) => !each.startsWith("day"))).toEqual(["a", "asked", "b", "c"]);
  expect(bank.closedAt).toBe(closedAt);
  expect(statusOf("b")).toBe("settled");
  expect(statusOf("c")).toBe("captured");
});

test.each([
  ["a sale", () => sell("a")],
  ["an inquiry", () => bank.judge(() => ({ outcome: undefined }))],
  ["an event", () => bank.note("asked")],
])("%s is not answered from what the disk does not hold yet", async (_name, ask) => {
  const disk = await gatedDisk();
  void sell("first");
  let isAnswered = false;
  const answer = ask().then(() => (isAnswered = true));
  await disk.reached;
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  disk.open();
  await answer;
});

test("no call is judged while a day ends", async () => {
  const disk = await gatedDisk();
  const ending = bank.endDay();
  await disk.reached;
  const sale = sell("next");
  await new Promise((resolve) => setImmediate(resolve));
  expect(bank.book.sequence).toBe(0);
  disk.open();
  await Promise.all([ending, sale]);
  expect(statusOf("next")).toBe("captured");
});

test("a day's end that cannot be written settles nothing, and the bank takes no more calls", async () => {
  await sell("a");
  const failure = new Error("no space left");
  vi.spyOn(await fileHandlePrototype(), "datasync").mockRejectedValue(failure);
  await expect(bank.endDay()).rejects.toBe(failure);
  expect(await bank.files.failed).toBe(failure);
  expect(statusOf("a")).toBe("captured");
  expect(bank.closedAt).toBeUndefined();
  await expect(bank.judge(() => ({ outcome: "an answer" }))).rejects.toBe(failure);
});

test.each([
  ["no JSON", "nonsense\n"],
  ["another object", "{}\n"],
  ["an event that does not say when it came", '{"sequence":1,"at":"2026-01-01T00:00:00.000Z"}\n'],
  [
    "the end of a longer ledger's day",
    '{"sequence":1,"at":"2026-01-01T00:00:00.000Z","kind":"day_ended","after":7}\n',
  ],
])("%s beside the ledger stops the start and is left as it is", async (_name, content) => {
  const file = `${ledgerFile}.events.ndjson`;
  await writeFile(file, content);
  await expect(openBank()).rejects.toThrow(LedgerCorruptError);
  expect(await readFile(file, "utf8")).toBe(content);
});

test("time goes forward, in the bank's zone, and not back at a restart", async () => {
  bank.clock.advance(86_400_000);
  await sell("tomorrow");
  await restart();
  expect(bank.clock.now()).toBeGreaterThanOrEqual(Date.now() + 86_000_000);
  expect(bank.clock.wall(Date.UTC(2026, 0, 31, 21, 5, 7, 89))).toEqual({
    date: "2026-02-01",
    time: "00:05:07.089",
  });
});

test("a clock that is off, or of another zone, shows other times, and an hour may come twice", () => {
  const modes = { clockOffsetSeconds: 0, zone: null as string | null };
  const clock = new BankClock("Europe/Istanbul", Date.now, modes);
  const shown = (at: string) => clock.wall(Date.parse(at)).time;
  expect(shown("2026-10-25T00:30:00Z")).toBe("03:30:00.000");
  modes.zone = "Europe/Belgrade";
  expect(shown("2026-10-25T00:30:00Z")).toBe("02:30:00.000");
  expect(shown("2026-10-25T01:30:00Z")).toBe("02:30:00.000");
  modes.clockOffsetSeconds = -180;
  expect(shown("2026-10-25T02:30:00Z")).toBe("03:27:00.000");
});

test("a day's file that a crash has prevented is written at the next start, and no file twice", async () => {
  const compose = vi.fn<(day: number) => string>((day) => `of day ${day}`);
  const folderOf = () =>
    new SettlementFolder<Entry>(ledgerFile, ({ day }) => [
      { name: `${day}.csv`, content: () => compose(day), payouts: () => [] },
    ]);
  const day = { day: 1, endedAtMs: 0, movements: [] };
  await folderOf().write(day);
  const next = folderOf();
  await next.write(day);
  await next.write({ ...day, day: 2 });
  expect(compose.mock.calls).toEqual([[1], [2]]);
  expect(next.list()).toEqual(["1.csv", "2.csv"]);
  expect(String(await next.read("2.csv"))).toBe("of day 2");
  expect(await next.read("../ledger.ndjson")).toBeUndefined();
});

async function openBank(): Promise<Bank<Entry, string>> {
  told = [];
  return await Bank.open<Entry, string>({
    ledgerFile,
    zone: "Europe/Istanbul",
    postingOf: saleOf,
    onLine: ({ id }) => void told.push(id),
    onEvent: (event) => void told.push(event),
    onDayEnded: ({ day, movements }: EndedDay<Entry>) =>
      void told.push(`day ${day}: ${movements.map(({ line }) => line.id).join(" ")}`),
  });
}

async function restart(): Promise<void> {
  await bank.files.close();
  bank = await openBank();
}

function sell(id: string): Promise<void> {
  return bank.judge((nowMs) => ({ line: { at: new Date(nowMs).toISOString(), id }, outcome: undefined }));
}

function statusOf(id: string) {
  return bank.book.named("m", id)?.row?.status;
}
