import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readAnswer } from "./read-answer.ts";
import { answerXml, approvedXml } from "./test/scripted-bank.ts";

const read = (body: string | Buffer, contentType?: string, status = 200) =>
  readAnswer({ kind: "answered", status, bytes: Buffer.from(body), contentType });

test("the elements of an answer are read, those of Extra by their names", () => {
  const answer = read(approvedXml("order1", "22302V8rE11732"), "text/xml;charset=ISO-8859-9");
  expect(answer).toMatchObject({
    response: "Approved",
    procReturnCode: "00",
    orderId: "order1",
    transId: "22302V8rE11732",
    authCode: "621911",
    errorCode: "",
    numCode: "00",
  });
  expect(answer?.extra.get("TRXDATE")).toBe("20221029 21:58:43");
});

test("an answer is decoded as it declares, in its header or in itself, and else as the protocol's banks write", () => {
  const message = (contentType: string | undefined, declaration: string, bytes: number[]) =>
    read(
      Buffer.concat([
        Buffer.from(`${declaration}<CC5Response><ErrMsg>`),
        Buffer.from(bytes),
        Buffer.from("</ErrMsg></CC5Response>"),
      ]),
      contentType,
    )?.errMsg;
  const turkish = [0xfe, 0xfd, 0xf0];
  const declared = '<?xml version="1.0" encoding="ISO-8859-9"?>';
  expect(message("text/xml;charset=ISO-8859-9", declared, turkish)).toBe("şığ");
  expect(message("text/xml", declared, turkish)).toBe("şığ");
  expect(message(undefined, "", turkish)).toBe("şığ");
  const utf8 = [...Buffer.from("şığ")];
  expect(message("text/xml; charset=utf-8", "", utf8)).toBe("şığ");
  expect(message("text/xml", '<?xml version="1.0" encoding="UTF-8"?>', utf8)).toBe("şığ");
});

test("an element outside of Extra that belongs inside is found, and an unknown or repeated one does no harm", () => {
  const beside = answerXml({ Response: "Declined", ERRORCODE: "CORE-2008", Extra: { NUMCODE: "99" } });
  expect(read(beside)).toMatchObject({
    errorCode: "CORE-2008",
    numCode: "99",
    procReturnCode: "",
    orderId: "",
  });
  const repeated = "<A><B>1</B></A><Extra><KAMPANYA>1</KAMPANYA><KAMPANYA>2</KAMPANYA></Extra>";
  expect(read(approvedXml("o", "t").replace("</CC5Response>", `${repeated}</CC5Response>`))).toMatchObject({
    response: "Approved",
    transId: "t",
  });
});

test("five entities and numbers are text, and so is CDATA", () => {
  const text = "a &lt;b&gt; &amp; &quot;c&apos; &#x41;<![CDATA[<D>]]>";
  expect(read(`<CC5Response><ErrMsg>${text}</ErrMsg></CC5Response>`)?.errMsg).toBe("a <b> & \"c' A<D>");
});

describe("no answer is", () => {
  const approved = approvedXml("order1", "t1");
  const doctype = (text: string) => approved.replace("<CC5Response>", `<!DOCTYPE ${text}><CC5Response>`);
  test.each([
    ["an empty body", ""],
    ["HTML", "<html><body>maintenance</body></html>"],
    ["JSON", '{"Response":"Approved"}'],
    ["another root", approved.replaceAll("CC5Response", "CC5Request")],
    ["half of one", approved.slice(0, -20)],
    ["two of them", `${approved}${approved.replace(/^<\?.*\n/, "")}`],
    ["text after it", `${approved}Approved`],
    ["a document type", doctype("CC5Response")],
    ["an entity of its own", doctype('x [<!ENTITY a "Approved">]').replace("Approved", "&a;")],
    ["a file", doctype('x [<!ENTITY a SYSTEM "file:///etc/passwd">]').replace("Approved", "&a;")],
    ["an unknown entity", approved.replace("Approved", "&uuml;")],
    ["a control character", approved.replace("Approved", "Approved\u0000")],
    ["a control character as an entity", approved.replace("Approved", "Approved&#1;")],
    ["two results", approved.replace("<Response>", "<Response>Declined</Response><Response>")],
    ["two orders", approved.replace("<OrderId>", "<OrderId>other</OrderId><OrderId>")],
    ["two codes in Extra", approved.replace("<NUMCODE>", "<NUMCODE>99</NUMCODE><NUMCODE>")],
    ["a deep one", approved.replace("<ErrMsg>", `<ErrMsg>${"<a>".repeat(9)}${"</a>".repeat(9)}`)],
    ["UTF-16", Buffer.from(approved, "utf16le")],
  ])("%s", (_, body) => {
    expect(read(body, "text/xml;charset=ISO-8859-9")).toBeUndefined();
  });

  test("an entity bomb", () => {
    const bomb = `<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">${Array.from(
      { length: 9 },
      (_, index) => `<!ENTITY a${index} "${`&a${index - 1};`.repeat(10)}">`,
    ).join("")}]><CC5Response><ErrMsg>&a8;</ErrMsg></CC5Response>`;
    expect(read(bomb)).toBeUndefined();
  });

  test.each(["utf-16", "utf-7", "ibm037", "x-user-defined"])("one that declares %s", (charset) => {
    expect(read(approved, `text/xml;charset=${charset}`)).toBeUndefined();
  });

  test("one that declares UTF-8 and is not", () => {
    const bytes = Buffer.from(approved.replace("<ErrMsg>", "<ErrMsg>\u00fe"), "latin1");
    expect(read(bytes, "text/xml;charset=utf-8")).toBeUndefined();
  });

  test.each([201, 204, 302, 400, 404, 500, 503])("one with HTTP %i", (status) => {
    expect(read(approved, "text/xml", status)).toBeUndefined();
  });

  test("random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(read(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});
