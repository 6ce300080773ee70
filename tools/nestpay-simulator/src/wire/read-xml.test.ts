import { expect, test } from "vitest";

import { encodeIso88599 } from "./iso-8859-9.ts";
import { readXml } from "./read-xml.ts";

test("elements are read by their path, the first of those that are there twice, CDATA included", () => {
  const text = "<R><A> 1 </A><A>2</A><B><A><![CDATA[<3>]]></A></B><!-- no --><C>&lt;&#52;</C></R>";
  expect(Object.fromEntries(readXml(text, "R") ?? [])).toMatchObject({
    A: "1",
    "B/A": "<3>",
    C: "<4",
  });
});

test("what the encoding does not have becomes a question mark", () => {
  expect([...encodeIso88599("ĞİŞğışé€Ð😀")]).toEqual([
    0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe, 0xe9, 0x3f, 0x3f, 0x3f,
  ]);
});
