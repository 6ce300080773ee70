import { expect, test } from "vitest";

import { readAnswer } from "./answer.ts";
import { answerXml, approvedXml } from "./test/scripted-bank.ts";

const read = (body: string, status = 200) =>
  readAnswer({ kind: "answered", status, bytes: Buffer.from(body), contentType: "text/xml" });

test("the elements of an answer are read, those of Extra by their names", () => {
  const answer = read(approvedXml("order1", "22302V8rE11732"));
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

test("an element outside of Extra that belongs inside is found, and an unknown or repeated one does no harm", () => {
  const beside = answerXml({ Response: "Declined", ERRORCODE: "CORE-2008", Extra: { NUMCODE: "99" } });
  const absent = { procReturnCode: "", orderId: "" };
  expect(read(beside)).toMatchObject({ errorCode: "CORE-2008", numCode: "99", ...absent });
  const repeated = "<A><B>1</B></A><Extra><KAMPANYA>1</KAMPANYA><KAMPANYA>2</KAMPANYA></Extra>";
  expect(read(approvedXml("o", "t").replace("</CC5Response>", `${repeated}</CC5Response>`))).toMatchObject({
    response: "Approved",
    transId: "t",
  });
});

const approved = approvedXml("order1", "t1");
test.each<[string, string, number?]>([
  ["another root", approved.replaceAll("CC5Response", "CC5Request")],
  ["two results", approved.replace("<Response>", "<Response>Declined</Response><Response>")],
  ["two orders", approved.replace("<OrderId>", "<OrderId>other</OrderId><OrderId>")],
  ["two codes in Extra", approved.replace("<NUMCODE>", "<NUMCODE>99</NUMCODE><NUMCODE>")],
  ...[201, 204, 302, 400, 404, 500, 503].map(
    (status) => [`HTTP ${status}`, approved, status] as [string, string, number],
  ),
])("%s is no answer", (_, body, status = 200) => {
  expect(read(body, status)).toBeUndefined();
});
