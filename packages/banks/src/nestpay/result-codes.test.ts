import { describe, expect, test } from "vitest";

import { meaningOf } from "./result-codes.ts";

const refused = (parts: Partial<Parameters<typeof meaningOf>[0]>) => ({
  procReturnCode: "99",
  errorCode: "",
  numCode: "",
  ...parts,
});
const classOf = (parts: Parameters<typeof refused>[0], installmentCount?: number) =>
  meaningOf(refused(parts), installmentCount).codeClass;
const core = (code: string | number) => ({ errorCode: `CORE-${code}`, numCode: `99${code}` });
const failed = expect.toBeOneOf(["failed", undefined]) as unknown;

describe("the issuer's codes", () => {
  test.each([
    ["soft", "01 02 05"],
    ["hard", "12 14 15 33 36 38 52 53 54 55 57 62 63 75 80 81 82 84 93 GK"],
    ["stolen", "04 07 34 41 43 YK"],
    ["limit", "51 61 65"],
    ["technical", "03 13 20 25 28 29 30 58 77 98"],
    ["unclassed", "SF"],
    ["undecided", "19 91 92 96"],
  ])("%s: %s", (codeClass, codes) => {
    for (const code of codes.split(" "))
      expect(meaningOf(refused({ procReturnCode: code }))).toEqual({ code, codeClass });
  });

  test.each(["", "99", "ZZ", "68", "94", "5", "051"])("%o proves nothing", (procReturnCode) => {
    expect(classOf({ procReturnCode })).toEqual(failed);
  });

  test("may stand in the error code where it is missing, and not differ there", () => {
    const errorCode = "ISO8583-82";
    for (const procReturnCode of ["", "82"])
      expect(meaningOf(refused({ procReturnCode, errorCode }))).toEqual({ code: "82", codeClass: "hard" });
    expect(classOf({ procReturnCode: "05", errorCode })).toEqual(failed);
  });
});

describe("the gateway's codes", () => {
  test.each([
    ["hard", "2010 2012 2124 2208 2250 2253 2255 2256 2513 2514 2515 2517"],
    ["sca_required", "2206"],
    ["technical", "1007 1008 1010 1011 1019 1023 1024 1028 2001 2002 2003 2008 2009 2011"],
    ["technical", "2013 2014 2015 2020 2034 2115 2116 2117 2119 2120 2121 2123 2133 2301"],
    ["technical", "2503 2504 2505 2506 2508 2509 2511 2512 2601 2603"],
    ["undecided", "2507 2302 2127 2304 2016"],
    ["credentials", "1006 2126 2201 2202 2204 2254 2311 2312 2313 2314 2315 2316"],
  ])("%s: %s", (codeClass, codes) => {
    for (const code of codes.split(" ")) {
      const meaning = { code: `CORE-${code}`, codeClass };
      expect(meaningOf(refused(core(code)))).toEqual(meaning);
      // Some banks write it in only one of the two places.
      expect(meaningOf(refused({ errorCode: `CORE-${code}`, numCode: "99" }))).toEqual(meaning);
      expect(meaningOf(refused({ numCode: `99${code}` }))).toEqual(meaning);
    }
  });

  test("CORE-2204 is about the instalments where there are any", () => {
    expect(classOf(core(2204), 3)).toBe("technical");
  });

  test.each([
    ...[1000, 1001, 1005, 2700, 2800, 2900, 3000, 2104, 9999].map(core),
    { errorCode: "2100", numCode: "992104" },
    { errorCode: "BM-9102" },
    { errorCode: "9103" },
    { errorCode: "constructor" },
    { errorCode: "CORE-2008", numCode: "992508" },
    { errorCode: "CORE-2008", numCode: "992008", procReturnCode: "05" },
    {},
  ])("%o proves nothing", (parts) => {
    expect(classOf(parts)).toEqual(failed);
  });

  test("two of them have another spelling at one bank", () => {
    expect(meaningOf(refused({ errorCode: "215021", procReturnCode: "" })).code).toBe("CORE-2504");
    expect(meaningOf(refused({ errorCode: "215001" })).code).toBe("CORE-2008");
  });
});
