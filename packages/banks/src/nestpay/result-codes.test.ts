import { describe, expect, test } from "vitest";

import type { BankAnswer } from "./read-answer.ts";
import { meaningOf } from "./result-codes.ts";

const refused = (parts: Partial<BankAnswer>): BankAnswer => ({
  response: "Error",
  procReturnCode: "99",
  orderId: "",
  transId: "",
  authCode: "",
  errorCode: "",
  numCode: "",
  errMsg: "",
  extra: new Map(),
  ...parts,
});
const core = (code: number) => refused({ errorCode: `CORE-${code}`, numCode: `99${code}` });
const issuer = (procReturnCode: string) => refused({ procReturnCode, response: "Declined" });

describe("the issuer's codes", () => {
  test.each([
    ["soft", "01 02 05 81 82 84"],
    ["hard", "12 14 15 33 36 38 52 53 54 55 57 62 63 75 80 93 GK"],
    ["stolen", "04 07 34 41 43 YK"],
    ["limit", "51 61 65"],
    ["technical", "03 13 20 25 28 29 30 58 77 98"],
  ])("%s: %s", (declineClass, codes) => {
    for (const code of codes.split(" ")) {
      expect(meaningOf(issuer(code))).toEqual({ kind: "refused", code, declineClass });
    }
  });

  test("SF is a refusal without a class", () => {
    expect(meaningOf(issuer("SF"))).toEqual({ kind: "refused", code: "SF" });
  });

  test.each(["19", "91", "92", "96"])("%s is not decided", (code) => {
    expect(meaningOf(issuer(code))).toEqual({ kind: "undecided" });
  });

  test.each(["", "99", "ZZ", "68", "94", "5", "051"])("%o proves nothing", (code) => {
    expect(meaningOf(issuer(code))).toEqual({ kind: "failed" });
  });

  test("may stand in the error code where it is missing, and not differ there", () => {
    const errorCode = "ISO8583-82";
    const meaning = { kind: "refused", code: "82", declineClass: "soft" };
    expect(meaningOf(refused({ procReturnCode: "", errorCode }))).toEqual(meaning);
    expect(meaningOf(refused({ procReturnCode: "82", errorCode }))).toEqual(meaning);
    expect(meaningOf(refused({ procReturnCode: "05", errorCode }))).toEqual({ kind: "failed" });
  });
});

describe("the gateway's codes", () => {
  test.each([
    ["soft", [2208, 2515]],
    ["hard", [2010, 2012, 2124, 2250, 2253, 2255, 2256, 2513, 2514, 2517]],
    ["sca_required", [2206]],
    ["technical", [1007, 1008, 1010, 1011, 1019, 1023, 1024, 1028, 2001, 2002, 2003, 2008, 2009, 2011]],
    ["technical", [2013, 2014, 2015, 2020, 2034, 2115, 2116, 2117, 2119, 2120, 2121, 2123, 2133, 2301]],
    ["technical", [2503, 2504, 2505, 2506, 2508, 2509, 2511, 2512, 2601, 2603]],
  ] as const)("%s: %s", (declineClass, codes) => {
    for (const code of codes) {
      const meaning = { kind: "refused", code: `CORE-${code}`, core: code, declineClass };
      expect(meaningOf(core(code))).toEqual(meaning);
      // Some banks write it in only one of the two places.
      expect(meaningOf(refused({ errorCode: `CORE-${code}`, numCode: "99" }))).toEqual(meaning);
      expect(meaningOf(refused({ numCode: `99${code}` }))).toEqual(meaning);
    }
  });

  test.each([2507, 2302, 2127, 2304, 2016])("CORE-%i leaves it to the history", (code) => {
    expect(meaningOf(core(code))).toEqual({ kind: "undecided" });
  });

  test.each([1006, 2126, 2201, 2202, 2204, 2254, 2311, 2312, 2313, 2314, 2315, 2316])(
    "CORE-%i is about the account",
    (code) => {
      expect(meaningOf(core(code))).toEqual({ kind: "account" });
    },
  );

  test("CORE-2204 is about the instalments where there are any", () => {
    const meaning = { kind: "refused", code: "CORE-2204", core: 2204, declineClass: "technical" };
    expect(meaningOf(core(2204), { installmentCount: 3 })).toEqual(meaning);
  });

  test.each([
    ...[1000, 1001, 1005, 2700, 2800, 2900, 3000, 2104, 9999].map(core),
    refused({ errorCode: "2100", numCode: "992104" }),
    refused({ errorCode: "BM-9102" }),
    refused({ errorCode: "9103" }),
    refused({ errorCode: "constructor" }),
    refused({ errorCode: "CORE-2008", numCode: "992508" }),
    refused({ errorCode: "CORE-2008", numCode: "992008", procReturnCode: "05" }),
    refused({}),
  ])("%o proves nothing", (answer) => {
    expect(meaningOf(answer)).toEqual({ kind: "failed" });
  });

  test("two of them have another spelling at one bank", () => {
    expect(meaningOf(refused({ errorCode: "215021", procReturnCode: "" }))).toMatchObject({ core: 2504 });
    expect(meaningOf(refused({ errorCode: "215001" }))).toMatchObject({ core: 2008 });
  });
});
