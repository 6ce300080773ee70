import { expect, test } from "vitest";
import { FIXED, fixedLine } from "../../test/fixed-mapping.ts";
import { encodeTurkish, GENERIC_HEADER, genericLine, readWhole } from "../../test/written-file.ts";
import { parseMapping } from "./mapping.ts";

const ID = "0199aaaa-0000-7000-8000-000000000001";
const fixed = parseMapping(JSON.stringify(FIXED), "fixed.json");
const sale = fixedLine({
  kind: "SATIS",
  id: ID.replaceAll("-", ""),
  gross: "101250",
  fee: "2015",
  date: "20261122",
  time: "130507",
  pan: "435508******4358",
});
const refund = sale.replace("SATIS", "İADE ").replace("000000101250", "000000000050");
const HEAD = `H${"BANK".padEnd(87)}`;
const totals = (count: number, gross: string) =>
  `T${String(count).padStart(6)}`.padEnd(38) + gross.padStart(12).padEnd(50);
const bank = (...lines: string[]) => encodeTurkish([...lines, ""].join("\r\n"));

test("a file of columns at fixed places is read without its head and its totals, with implied decimals and signs by the kind", async () => {
  const { lines, faults } = await readWhole(fixed, bank(HEAD, sale, refund, totals(3, "101200")));
  expect(faults).toEqual([]);
  expect(lines).toEqual([
    {
      lineNo: 2,
      kind: "SALE",
      reference: ID.replaceAll("-", ""),
      referenceId: ID,
      maskedPan: "435508******4358",
      grossMinor: 101_250n,
      feeMinor: 2_015n,
      netMinor: 99_235n,
      currency: "TRY",
      transactedAt: "2026-11-22T13:05:07",
    },
    expect.objectContaining({ lineNo: 3, kind: "REFUND", grossMinor: -50n }),
  ]);
});

test("a file keeps each line of another length with its reason, and takes the others", async () => {
  const { lines, faults } = await readWhole(fixed, bank(HEAD, sale, sale.slice(1), sale, totals(4, "0")));
  expect(lines.map(({ lineNo }) => lineNo)).toEqual([2, 4]);
  expect(faults).toEqual([{ lineNo: 3, reason: "87 characters, not 88" }]);
});

test("a file may fill up all of its numbers with zeros", async () => {
  const pointed = { ...FIXED, file: { ...FIXED.file, decimal: "," } };
  const mapping = parseMapping(JSON.stringify(pointed), "pointed.json");
  const padded = sale.replace("000000101250", "000001012,50").replace("00002015", "00020,15");
  const last = `T${"2".padStart(6, "0")}`.padEnd(38) + "000001012,50".padEnd(50);
  const { lines, faults } = await readWhole(mapping, bank(HEAD, padded, last));
  expect(faults).toEqual([]);
  expect(lines).toMatchObject([{ grossMinor: 101_250n, feeMinor: 2_015n }]);
});

test("a bank may leave out the blanks at the end of a line, where the mapping says no length", async () => {
  const { lineLength: _, ...file } = FIXED.file;
  const short = parseMapping(JSON.stringify({ ...FIXED, file }), "short.json");
  const { lines, faults } = await readWhole(
    short,
    bank("H", sale.slice(0, 72), totals(2, "101250").trimEnd()),
  );
  expect(faults).toEqual([]);
  expect(lines).toMatchObject([{ lineNo: 2, grossMinor: 101_250n }]);
  expect(lines[0]).not.toHaveProperty("maskedPan");
});

test("a file of fixed width may begin with a byte order mark", async () => {
  const inUtf8 = parseMapping(JSON.stringify({ ...FIXED, file: { ...FIXED.file, encoding: "utf-8" } }), "");
  const content = Buffer.from(`\ufeff${[sale, totals(1, "101250"), ""].join("\n")}`);
  expect((await readWhole(inUtf8, content)).lines).toMatchObject([{ lineNo: 1, kind: "SALE" }]);
});

test.each([
  ["cut off", bank(HEAD, sale), "truncated"],
  ["of other sums", bank(HEAD, sale, totals(2, "101251")), "totals_differ"],
  ["of a delimited file", Buffer.from(`${GENERIC_HEADER}\n${genericLine()}\n`), "mapping_does_not_fit"],
  ["in UTF-16", Buffer.from(`${sale}\n`, "utf16le"), "encoding"],
  ["of nothing", Buffer.from(""), "empty"],
])("a file of fixed width that is %s is refused whole", async (_, content, code) => {
  await expect(readWhole(fixed, content)).rejects.toMatchObject({ name: "SettlementFileError", code });
});
