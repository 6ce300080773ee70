import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readBinCsv } from "./bin-csv.ts";

const HEADER = "bin,bin_to,card_scheme,card_type,card_sub_type,issuer,country,loyalty_code,installments_max";
const read = (...lines: string[]) => readBinCsv(Readable.from([lines.join("\n")]));
const faultsOf = async (...lines: string[]) =>
  (await read(...lines)).faults.map(({ line, reason }) => `${line}: ${reason}`);

test("a line is a BIN or a range of them, with what is known", async () => {
  const { ranges, faults } = await read(
    `\uFEFF${HEADER}`,
    '41111110,41111119,VISA,CREDIT,GOLD,"A ""good"" bank, the first",TR,BONUS,12\r',
    "",
    " 0123456 ,,TROY,DEBIT,,,TR,,1",
  );
  expect(faults).toEqual([]);
  expect(ranges).toEqual([
    {
      digits: 8,
      from: 41111110,
      to: 41111119,
      data: {
        cardScheme: "VISA",
        cardType: "CREDIT",
        cardSubType: "GOLD",
        issuer: 'A "good" bank, the first',
        country: "TR",
        loyaltyCode: "BONUS",
        installmentsMax: 12,
      },
    },
    {
      digits: 7,
      from: 123456,
      to: 123456,
      data: { cardScheme: "TROY", cardType: "DEBIT", country: "TR", installmentsMax: 1 },
    },
  ]);
});

test("the most installments may be filled up with zeros, and none of them is one", async () => {
  const most = ["06", "12", "00", "0", "012"];
  const lines = most.map((text, at) => `41111${at},,VISA,CREDIT,,,TR,,${text}`);
  const { ranges, faults } = await read(HEADER, ...lines);
  expect(faults).toEqual([]);
  expect(ranges.map(({ data }) => data.installmentsMax)).toEqual([6, 12, 1, 1, 12]);
});

test("columns may come in any order, and optional ones not at all", async () => {
  const { ranges, faults } = await read(
    "country,installments_max,bin,card_type,card_scheme",
    "TR,3,411111,CREDIT,VISA",
  );
  expect(faults).toEqual([]);
  expect(ranges).toMatchObject([{ digits: 6, from: 411111, to: 411111, data: { installmentsMax: 3 } }]);
});

test("every line at fault is named with its number and its reasons, and nothing is taken", async () => {
  const good = "411111,,VISA,CREDIT,,,TR,,1";
  const lines = [
    HEADER,
    good,
    "41111,,VISA,CREDIT,,,TR,,1",
    "4111111111111111,,VISA,CREDIT,,,TR,,1",
    "422222,4222229,VISA,CREDIT,,,TR,,1",
    "433333,433332,VISA,CREDIT,,,TR,,1",
    "444444,,visa,GOLD,,,TUR,,13",
    "455555,,VISA",
    '466666,,VISA,CREDIT,,"a bank"s,TR,,1',
    "477777,,VISA,CREDIT,,,TR,,1",
  ];
  const { ranges, faults } = await read(...lines);
  expect(ranges).toEqual([]);
  expect(faults.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
    "3: bin must be 6 to 8 digits",
    "4: bin must be 6 to 8 digits",
    "5: bin_to must have as many digits as bin and must not be less than it",
    "6: bin_to must have as many digits as bin and must not be less than it",
    "7: card_scheme must be upper-case letters and digits, at most 32; card_type must be CREDIT, DEBIT or PREPAID; " +
      "country must be an ISO 3166-1 alpha-2 code; installments_max must be 0 to 12",
    "8: has 3 columns instead of 9",
    "9: from here on it is not well-formed CSV, and was not read",
  ]);
  expect(JSON.stringify(faults)).not.toContain("4111111111111111");
});

test("lines that speak of the same cards with as many digits are at fault; more digits are not", async () => {
  const line = (bin: string, to = "") => `${bin},${to},VISA,CREDIT,,,TR,,1`;
  expect(
    await faultsOf(
      HEADER,
      line("411110", "411119"),
      line("411105", "411110"),
      line("411115"),
      line("41111501"),
    ),
  ).toEqual(["3: overlaps line 2", "4: overlaps line 2"]);
  expect(await faultsOf(HEADER, line("411111"), line("411111"))).toEqual(["3: overlaps line 2"]);
  expect(await faultsOf(HEADER, line("411111"), line("4111111"), line("411112"))).toEqual([]);
});

test.each([
  ["no lines at all", "", "1: there are no BINs"],
  ["a header alone", HEADER, "1: there are no BINs"],
  ["no header", "411111,,VISA,CREDIT,,,TR,,1", /^1: has a column that is none of bin, bin_to/],
  ["a misspelt column", HEADER.replace("issuer", "isuer"), /^1: has a column that is none of/],
  ["a column twice", `${HEADER},bin`, "1: names a column twice"],
  ["a column missing", "bin,card_scheme,card_type", "1: has no column country, installments_max"],
])("a file with %s is at fault", async (_case, text, fault) => {
  const { ranges, faults } = await read(text);
  expect(ranges).toEqual([]);
  expect(`${faults[0]!.line}: ${faults[0]!.reason}`).toMatch(fault);
});

test("a quote that is never closed is at fault, however long the file", async () => {
  const rest = Array.from({ length: 2_000 }, (_, index) => `${500_000 + index},,VISA,CREDIT,,,TR,,1`);
  const { ranges, faults } = await read(HEADER, '411111,,VISA,CREDIT,,"A bank,TR,,1', ...rest);
  expect(ranges).toEqual([]);
  expect(faults).toEqual([{ line: 2, reason: "from here on it is not well-formed CSV, and was not read" }]);
});
