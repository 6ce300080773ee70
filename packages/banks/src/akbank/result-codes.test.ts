import { expect, test } from "vitest";

import { meaningOf } from "./result-codes.ts";

test.each([
  ["soft", "01 02 05"],
  ["hard", "12 14 15 33 54 57 58 62 77 83 93"],
  ["stolen", "04 07 34 36 37 38 41 43"],
  ["limit", "51 61 65"],
  ["technical", "03 13 25 28"],
  ["undecided", "09 19 22 32 68 91 92 96 99"],
  [undefined, "06 10 ZZ 0Z"],
])("the host's %s: %s", (codeClass, codes) => {
  for (const code of codes.split(" ")) expect(meaningOf("VPS-1005", code)).toEqual({ code, codeClass });
});

test.each([
  ["hard", "1044 1066"],
  ["technical", "1007 1008 1055 1060 1061 1073"],
  // A provision error without the host's code says nothing.
  ["undecided", "1005 1013"],
  [undefined, "0001 1123 1279 1997 9999"],
])("the gateway's %s: %s", (codeClass, codes) => {
  for (const number of codes.split(" "))
    expect(meaningOf(`VPS-${number}`, "")).toEqual({ code: `VPS-${number}`, codeClass });
});
