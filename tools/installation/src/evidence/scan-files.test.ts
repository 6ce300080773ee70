import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { scanFiles } from "./scan-files.ts";

const CARD = "4111111111111111";

/** The files as the scan sees them, in a directory of their own. */
async function scanOf(files: Record<string, string | Buffer>) {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-scan-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, "base"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  const scan = await scanFiles([dir]);
  const named = (path: string) => path.slice(dir.length + 1);
  return {
    bytes: Object.fromEntries(scan.files.map(({ file, bytes }) => [named(file), bytes])),
    found: scan.found.map(({ place, lastFour }) => `${named(place)} ${lastFour}`).toSorted(),
    unread: scan.unread.map(named).toSorted(),
  };
}

test("a number is found in every file, across two pieces of it, and in what gzip has packed", async () => {
  const packed = gzipSync(`a row of ${CARD}\n`);
  const { bytes, found, unread } = await scanOf({
    "a.log": `${"word ".repeat(209_714)}${CARD} and more`,
    "base/base.tar.gz": packed,
    "clean.log": "411111******1111\n",
    empty: "",
  });
  expect(found).toEqual(["a.log 1111", "base/base.tar.gz 1111"]);
  expect(unread).toEqual([]);
  expect(bytes).toMatchObject({ "base/base.tar.gz": packed.length, "clean.log": 17, empty: 0 });
});

test("a file whose content cannot be read is named, and is searched as it is", async () => {
  const { found, unread } = await scanOf({
    "cut.gz": gzipSync("a row\n").subarray(0, -4),
    "dump.zst": Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00]),
    "dump.pg": `PGDMP\u0001 and then ${CARD}`,
    "plain.txt": "nothing here",
  });
  expect(found).toEqual(["dump.pg 1111"]);
  expect(unread).toEqual(["cut.gz", "dump.pg", "dump.zst"]);
});
