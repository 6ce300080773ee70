import { mkdtemp, readFile, rm, writeFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Ledger, LedgerCorruptError, type LedgerRow } from "./ledger.ts";
import { fileHandlePrototype, gatedDisk } from "./test/test-bank.ts";

type Line = LedgerRow & { reference: string };

let folder: string;
let file: string;
let handlePrototype: FileHandle;
const ledgers: Ledger<Line>[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ledger-"));
  file = join(folder, "made", "ledger.ndjson");
  handlePrototype = await fileHandlePrototype();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const ledger of ledgers.splice(0)) await ledger.close();
  await rm(folder, { recursive: true });
});

test("what was appended is replayed in order, and the sequence goes on", async () => {
  const references = Array.from({ length: 1_000 }, (_, index) => `r-${index}`);
  const first = await openLedger();
  await Promise.all(references.map((reference) => first.append(entry(reference))));
  await first.close();
  const replayed: Line[] = [];
  const second = await Ledger.open<Line>(file, (each) => replayed.push(each));
  ledgers.push(second);
  expect(replayed).toEqual(
    references.map((reference, index) => ({ sequence: index + 1, ...entry(reference) })),
  );
  await second.append(entry("next"));
  expect(await text(second.read((line) => line.sequence > 1_000))).toContain('"reference":"next"');
  expect(await text(second.read(() => true))).toBe(await readFile(file, "utf8"));
});

test("while one fsync runs the next lines gather, and share the one after", async () => {
  const ledger = await openLedger();
  const disk = await gatedDisk();
  const appends = Array.from({ length: 500 }, (_, index) => ledger.append(entry(`r-${index}`)));
  disk.open();
  await Promise.all(appends);
  expect(disk.syncs()).toBe(2);
  expect((await lines()).map((line) => line.reference)).toEqual(
    Array.from({ length: 500 }, (_, i) => `r-${i}`),
  );
});

test("a line is neither told nor shown before its fsync has ended", async () => {
  const ledger = await openLedger();
  await ledger.append(entry("durable"));
  const disk = await gatedDisk();
  const ended: string[] = [];
  const append = ledger.append(entry("under way")).then(() => ended.push("append"));
  const flushedWriting = ledger.flushed().then(() => ended.push("flushed"));
  const gathered = ledger.append(entry("gathered")).then(() => ended.push("gathered"));
  const flushedAll = ledger.flushed().then(() => ended.push("flushed all"));
  await disk.reached;
  const shown = await text(ledger.read());
  expect(ended).toEqual([]);
  expect(shown).toContain("durable");
  expect(shown).not.toContain("under way");
  disk.open();
  await Promise.all([append, flushedWriting, gathered, flushedAll]);
  expect(ended).toEqual(["append", "flushed", "gathered", "flushed all"]);
  expect(await text(ledger.read())).toBe(await readFile(file, "utf8"));
});

test("a last line torn by a crash is cut off, and the next line is whole", async () => {
  const first = await openLedger();
  await first.append(entry("whole"));
  await first.close();
  const whole = await readFile(file, "utf8");
  await writeFile(file, `${whole}${whole.slice(0, 40)}`);
  const replay = vi.fn<(line: Line) => void>();
  const second = await Ledger.open(file, replay);
  ledgers.push(second);
  expect(replay).toHaveBeenCalledTimes(1);
  expect(await text(second.read())).toBe(whole);
  await second.append(entry("next"));
  expect((await lines()).map((line) => line.reference)).toEqual(["whole", "next"]);
});

test("lines that a killed process had not synced are synced before they are facts", async () => {
  const first = await openLedger();
  await first.append(entry("a"));
  const sync = vi.spyOn(handlePrototype, "sync");
  await openLedger();
  expect(sync).toHaveBeenCalledTimes(1);
});

test.each([
  ["a line that is not JSON", "nonsense\n"],
  ["a line out of sequence", '{"sequence": 7}\n'],
])("%s stops the start and is left as it is", async (_name, content) => {
  const flat = join(folder, "ledger.ndjson");
  await writeFile(flat, content);
  await expect(Ledger.open(flat, () => undefined)).rejects.toThrow(LedgerCorruptError);
  expect(await readFile(flat, "utf8")).toBe(content);
});

test("after a failed write nothing is told, and nothing more is taken", async () => {
  const ledger = await openLedger();
  const failure = new Error("no space left");
  vi.spyOn(handlePrototype, "datasync").mockRejectedValueOnce(failure);
  const write = vi.spyOn(handlePrototype, "appendFile");
  const underWay = ledger.append(entry("under way"));
  const gathered = ledger.append(entry("gathered"));
  await expect(underWay).rejects.toBe(failure);
  await expect(gathered).rejects.toBe(failure);
  await expect(ledger.append(entry("later"))).rejects.toBe(failure);
  await expect(ledger.flushed()).rejects.toBe(failure);
  expect(await ledger.failed).toBe(failure);
  expect(await text(ledger.read())).toBe("");
  expect(write).toHaveBeenCalledTimes(1);
});

test("a close waits for the lines under way", async () => {
  const ledger = await openLedger();
  const appends = ["a", "b", "c"].map((reference) => ledger.append(entry(reference)));
  await ledger.close();
  await Promise.all(appends);
  ledgers.length = 0;
  expect(await lines()).toHaveLength(3);
});

async function openLedger(): Promise<Ledger<Line>> {
  const ledger = await Ledger.open<Line>(file, () => undefined);
  ledgers.push(ledger);
  return ledger;
}

async function lines(): Promise<Line[]> {
  const content = await readFile(file, "utf8");
  expect(content.endsWith("\n")).toBe(true);
  return content
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

function entry(reference: string): Omit<Line, "sequence"> {
  return { at: "2026-01-01T00:00:00.000Z", reference };
}
