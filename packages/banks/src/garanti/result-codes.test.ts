import { expect, test } from "vitest";

import { meaningOf } from "./result-codes.ts";

const refused = { message: "Declined", cause: "" };
const ofIssuer = (code: string, more: object = {}) =>
  meaningOf({ ...refused, source: "HOST", code, reasonCode: code, ...more });
const ofGateway = (reasonCode: string, more: object = {}) =>
  meaningOf({ ...refused, source: "GVPS", code: "92", reasonCode, ...more });

test.each([
  ["soft", "01 02 05"],
  ["hard", "12 14 15 33 54 57 58 62 77 93"],
  ["stolen", "04 07 34 36 37 38 41 43"],
  ["limit", "51 61 65"],
  ["technical", "03 13 25 28"],
  ["undecided", "09 19 22 32 68 91 92 96 99"],
  [undefined, "06 10 ZZ 0Z"],
])("the issuer's %s: %s", (codeClass, codes) => {
  for (const code of codes.split(" ")) expect(ofIssuer(code)).toEqual({ code, codeClass });
});

test.each([
  ["hard", "0003 0099"],
  ["limit", "0402 0405"],
  ["technical", "0001 0002 0101 0102 0103 0108 0109 0110 0113 0122 0201 0202 0203 0204 0205 0207"],
  ["technical", "0208 0209 0210 0214 0217 0231 0756 0759 0763 0764 0770 0771 0773 0785 0804 0809"],
  ["credentials", "0651 0652 0653 0654 0752 0753 0769"],
  ["undecided", "0104 0111"],
  ["failed", "9998 9999"],
  [undefined, "0000 1234 05 constructor"],
])("the gateway's %s: %s", (codeClass, codes) => {
  for (const code of codes.split(" ")) expect(ofGateway(code)).toEqual({ code, codeClass });
});

test.each([
  ofIssuer("05", { reasonCode: "51" }),
  ofIssuer("05", { source: "GVPS" }),
  ofIssuer("05", { source: "" }),
  ofIssuer("05", { message: "Approved" }),
  ofIssuer("05", { message: "" }),
  ofIssuer("05", { cause: "RPC-05 condition was raised" }),
  ofGateway("0104", { source: "HOST" }),
  ofGateway("0001", { code: "05" }),
])("parts that contradict each other prove nothing, %#", ({ codeClass }) => {
  expect(codeClass).toBe("failed");
});
