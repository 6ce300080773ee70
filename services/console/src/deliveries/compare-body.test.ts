import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { compareBody } from "./compare-body.ts";

const SENT = '{"paymentId":"0199","note":"çay","amount":12.5}';
const hash = createHash("sha256").update(SENT).digest("hex");

test.each([
  ["same", SENT],
  ["spaces", `${SENT}\r\n`],
  ["spaces", `  ${SENT}`],
  ["writtenAgain", JSON.stringify(JSON.parse(SENT), null, 2).replaceAll("\n", "\r\n")],
  ["writtenAgain", SENT.replace("ç", String.raw`\u00e7`)],
  ["other", SENT.replace("12.5", "12.6")],
  ["other", "not JSON"],
  ["other", ""],
])("it is %s: %j", (verdict, pasted) => {
  expect(compareBody(pasted, hash)).toBe(verdict);
});
