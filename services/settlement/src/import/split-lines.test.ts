import * as fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines, type RawLine } from "./split-lines.ts";

const bounds = { lineBytesMax: 100, linesMax: 3, bytesMax: 150 };

async function* inParts(content: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield content.subarray(at, at + size);
    at += size;
  }
  yield content.subarray(at);
}

async function read(parts: AsyncIterable<Uint8Array>): Promise<RawLine[]> {
  const lines: RawLine[] = [];
  for await (const batch of splitLines(parts, bounds)) lines.push(...batch);
  return lines;
}

const texts = (lines: RawLine[]) =>
  lines.map(({ bytes }) => (bytes === "too_long" ? bytes : bytes.toString()));

test("a file is cut into the same lines, however it arrives", async () => {
  const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1 }),
      fc.constantFrom("\n", "\r\n"),
      fc.array(fc.nat(12)),
      async (lines, ending, sizes) => {
        const content = Buffer.from(lines.map((each) => `${each}${ending}`).join(""));
        const read_ = await read(inParts(content, sizes));
        expect(texts(read_)).toEqual(lines);
        expect(read_.map(({ lineNo }) => lineNo)).toEqual(lines.map((_, index) => index + 1));
      },
    ),
  );
});

test("long lines come together only up to a size, since they have many cells", async () => {
  const content = Buffer.from(`${"x".repeat(80)}\n`.repeat(7));
  const batches: number[] = [];
  for await (const batch of splitLines(inParts(content, []), bounds)) batches.push(batch.length);
  expect(batches).toEqual([2, 2, 2, 1]);
});

test("a last line without an end is a line", async () => {
  expect(texts(await read(inParts(Buffer.from("a\nb"), [])))).toEqual(["a", "b"]);
  expect(texts(await read(inParts(Buffer.from("a\n"), [])))).toEqual(["a"]);
  expect(await read(inParts(Buffer.from(""), []))).toEqual([]);
});

test("a line that is too long is that, and the next one is found", async () => {
  const content = Buffer.from(`a\n${"x".repeat(101)}\nb\n${"y".repeat(100)}\n${"z".repeat(500)}`);
  for (const size of [1, 7, 64, 1_000]) {
    const sizes = Array.from({ length: Math.ceil(content.length / size) }, () => size);
    expect(texts(await read(inParts(content, sizes)))).toEqual([
      "a",
      "too_long",
      "b",
      "y".repeat(100),
      "too_long",
    ]);
  }
});

test("whoever gives the parts may use their memory again", async () => {
  async function* reused(): AsyncGenerator<Uint8Array> {
    const memory = Buffer.alloc(4);
    for (const text of ["abcd", "ef\ng", "hij\n"]) {
      memory.write(text);
      yield memory;
    }
  }
  expect(texts(await read(reused()))).toEqual(["abcdef", "ghij"]);
});

test("a gibibyte of one line is one fault, and is never in memory", async () => {
  async function* gibibyte(): AsyncGenerator<Uint8Array> {
    const part = Buffer.alloc(1_048_576, "a");
    for (let index = 0; index < 1_024; index++) yield part;
  }
  const before = process.memoryUsage().arrayBuffers;
  expect(texts(await read(gibibyte()))).toEqual(["too_long"]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576);
});
