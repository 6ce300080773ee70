import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { encodingsOf, findSecrets, inScript } from "./encodings.ts";

const PAN = "4111111111111111";
const secrets = new Map([["card", encodingsOf(PAN)]]);
const finds = (content: string | Buffer) => findSecrets(Buffer.from(content as string), secrets).length > 0;

test.each([
  `{"pan":"${PAN}"}`,
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  Buffer.from(PAN).toString("hex"),
  Buffer.from(`{"pan":"${PAN}"}`).toString("base64"),
  Buffer.from(`x{"pan":"${PAN}"}`).toString("base64"),
  Buffer.from(`xy{"pan":"${PAN}"}`).toString("base64url"),
  Array.from(PAN)
    .map((digit) => `%3${digit}`)
    .join(""),
  Array.from(PAN)
    .map((digit) => `\\u003${digit}`)
    .join(""),
  inScript(PAN, "０"),
  Buffer.from(inScript(PAN, "٠")).toString("hex"),
  encodeURIComponent(inScript(PAN, "０")),
])("finds the card in %s", (content) => {
  expect(finds(content)).toBe(true);
});

test("finds nothing in the masked number or in noise", () => {
  expect(finds("411111******1111")).toBe(false);
  expect(finds(gzipSync("nothing here"))).toBe(false);
});
