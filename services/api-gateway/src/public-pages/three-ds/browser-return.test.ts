import { BROWSER_RETURN_BOUNDS } from "@holdfast/contracts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readBrowserReturn } from "./browser-return.ts";

test("fields keep their order, their repetitions and their empty values", () => {
  expect(readBrowserReturn("b=2&a=1&b=&&c&a=1")).toEqual({
    fields: [
      ["b", "2"],
      ["a", "1"],
      ["b", ""],
      ["c", ""],
      ["a", "1"],
    ],
  });
  expect(readBrowserReturn("")).toEqual({ fields: [] });
});

test("whatever a browser sends of a page in UTF-8 is read as it was", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 10 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (fields) => {
      expect(readBrowserReturn(new URLSearchParams(fields).toString())).toEqual({ fields });
    }),
  );
});

test("a page in the Turkish encoding is read as one, as a whole", () => {
  const name = "%DEule+%D6zt%FCrk";
  expect(readBrowserReturn(`BillToName=${name}&mdStatus=1&city=%DDstanbul`)).toEqual({
    fields: [
      ["BillToName", "Şule Öztürk"],
      ["mdStatus", "1"],
      ["city", "İstanbul"],
    ],
  });
});

test("a base64 value loses nothing but what the browser should have escaped", () => {
  expect(readBrowserReturn("HASH=a%2Bb%2Fc%3D%3D")).toEqual({ fields: [["HASH", "a+b/c=="]] });
  expect(readBrowserReturn("HASH=a=b&x=100%")).toEqual({
    fields: [
      ["HASH", "a=b"],
      ["x", "100%"],
    ],
  });
});

const { fields: fieldsMax, name: nameMax, value: valueMax } = BROWSER_RETURN_BOUNDS;
test.each([
  ["fields", "a=1&".repeat(fieldsMax), "a=1&".repeat(fieldsMax + 1)],
  ["a name", `${"n".repeat(nameMax)}=1`, `${"n".repeat(nameMax + 1)}=1`],
  ["a value", `a=${"v".repeat(valueMax)}`, `a=${"v".repeat(valueMax + 1)}`],
])("the bound of %s holds", (_what, within, beyond) => {
  expect(readBrowserReturn(within)).toBeDefined();
  expect(readBrowserReturn(beyond)).toBeUndefined();
});
