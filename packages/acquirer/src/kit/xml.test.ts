import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeText } from "./decode-text.ts";
import { readXml, writeXml } from "./xml.ts";

const answer =
  '<?xml version="1.0" encoding="ISO-8859-9"?>\n<Answer><Code>00</Code><Rows><Row>1</Row></Rows></Answer>';
const read = (body: string | Buffer, contentType?: string) => {
  const text = decodeText({ bytes: Buffer.from(body), contentType });
  return text === undefined ? undefined : readXml(text, "Answer");
};

test("an answer is decoded as it declares, in its header or in itself, and else as Turkish banks write", () => {
  const message = (contentType: string | undefined, declaration: string, bytes: number[]) =>
    read(
      Buffer.concat([Buffer.from(`${declaration}<Answer>`), Buffer.from(bytes), Buffer.from("</Answer>")]),
      contentType,
    )?.text;
  const turkish = [0xfe, 0xfd, 0xf0];
  const declared = '<?xml version="1.0" encoding="ISO-8859-9"?>';
  expect(message("text/xml;charset=ISO-8859-9", declared, turkish)).toBe("şığ");
  expect(message("text/xml", declared, turkish)).toBe("şığ");
  expect(message(undefined, "", turkish)).toBe("şığ");
  const utf8 = [...Buffer.from("şığ")];
  expect(message("text/xml; charset=utf-8", "", utf8)).toBe("şığ");
  expect(message("text/xml", '<?xml version="1.0" encoding="UTF-8"?>', utf8)).toBe("şığ");
});

test("five entities and numbers are text, and so is CDATA", () => {
  const text = "a &lt;b&gt; &amp; &quot;c&apos; &#x41;<![CDATA[<D>]]>";
  expect(read(`<Answer>${text}</Answer>`)?.text).toBe("a <b> & \"c' A<D>");
});

describe("no answer is", () => {
  const doctype = (text: string) => answer.replace("<Answer>", `<!DOCTYPE ${text}><Answer>`);
  const entities = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY a${index} "${`&a${index - 1};`.repeat(10)}">`,
  );
  test.each([
    ["an empty body", ""],
    ["HTML", "<html><body>maintenance</body></html>"],
    ["JSON", '{"Code":"00"}'],
    ["another root", answer.replaceAll("Answer", "Question")],
    ["half of one", answer.slice(0, -20)],
    ["two of them", `${answer}${answer.replace(/^<\?.*\n/, "")}`],
    ["text after it", `${answer}Approved`],
    ["a document type", doctype("Answer")],
    ["an entity of its own", doctype('x [<!ENTITY a "00">]').replace("00<", "&a;<")],
    ["a file", doctype('x [<!ENTITY a SYSTEM "file:///etc/passwd">]').replace("00<", "&a;<")],
    ["an entity bomb", doctype(`b [<!ENTITY a "aaaaaaaaaa">${entities.join("")}]`).replace("00<", "&a8;<")],
    ["an unknown entity", answer.replace("00<", "&uuml;<")],
    ["a control character", answer.replace("00<", "00\u0000<")],
    ["a control character as an entity", answer.replace("00<", "00&#1;<")],
    ["a deep one", answer.replace("<Rows>", `<Rows>${"<a>".repeat(9)}${"</a>".repeat(9)}`)],
    ["UTF-16", Buffer.from(answer, "utf16le")],
  ])("%s", (_, body) => {
    expect(read(body, "text/xml;charset=ISO-8859-9")).toBeUndefined();
  });

  test.each(["utf-16", "utf-7", "ibm037", "x-user-defined"])("one that declares %s", (charset) => {
    expect(read(answer, `text/xml;charset=${charset}`)).toBeUndefined();
  });

  test("one that declares UTF-8 and is not", () => {
    const bytes = Buffer.from(answer.replace("00<", "\u00fe<"), "latin1");
    expect(read(bytes, "text/xml;charset=utf-8")).toBeUndefined();
  });

  test("random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(read(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});

test("every text that is written stays in its element", () => {
  const text = `</Code><Type>Credit</Type>&"'\u0001\ud800+%=ş`;
  expect(readXml(writeXml("Answer", { Code: text, More: undefined }), "Answer")?.children).toEqual([
    { name: "Code", text: `</Code><Type>Credit</Type>&"'\ufffd+%=ş`, children: [] },
  ]);
});
