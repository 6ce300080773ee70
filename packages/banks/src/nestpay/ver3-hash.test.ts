import { createHash } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { PUBLISHED_RETURN } from "./test/published-return.ts";
import { signedReading, ver3Hash, type FormFields } from "./ver3-hash.ts";

const isSigned = (hash: string, fields: FormFields, storeKey: string, unsigned: string[] = []) =>
  signedReading(fields, hash, { storeKey, unsigned }) !== undefined;

const published: Record<string, string> = {
  clientid: "190100000",
  storetype: "3d_pay",
  amount: "100.25",
  oid: "order222",
  okUrl: "https://domain.com/success",
  failUrl: "https://domain.com/fail_url",
  rnd: "rand",
  lang: "tr",
  currency: "949",
  taksit: "",
  islemtipi: "Auth",
  firmaadi: "siparis veren",
  Email: "test@test.com",
  hashAlgorithm: "ver3",
};
const { firmaadi: _name, Email: _email, ...publishedBare } = published;

const own = {
  clientid: "990000001",
  storetype: "3d",
  TranType: "Auth",
  amount: "1249.90",
  currency: "949",
  oid: "hf-7f3c-pay-01",
  okUrl: "https://pay.example.test/3ds/ok?s=1",
  failUrl: "https://pay.example.test/3ds/fail",
  rnd: "5f2d8c0b7a914e36",
  lang: "tr",
  taksit: "3",
  hashAlgorithm: "ver3",
  encoding: "UTF-8",
};
const ownForm = {
  ...own,
  BillToName: "Sule Ozturk",
  Email: "sule@example.test",
  pan: "4355084355084358",
  Ecom_Payment_Card_ExpDate_Month: "12",
  Ecom_Payment_Card_ExpDate_Year: "30",
  cv2: "000",
};
const ownReturn = {
  ...own,
  encoding: "ISO-8859-9",
  cavv: "AAABBCYHAgAAAAARMAcCAAAAAAA=",
  clientIp: "203.0.113.7",
  eci: "05",
  maskedCreditCard: "4355 08** **** 4358",
  md: "435508:AA11:3545:##990000001",
  mdErrorMsg: "Authenticated",
  mdStatus: "1",
  txstatus: "Y",
  version: "2.0",
  xid: "MDAwMDAwMDAwMDAwMDAwMDAwMDE=",
};

test.each([
  [
    "P1, a published form",
    published,
    "123456",
    "/uPxhEKWCEGi3NsDOOQ4u8Hu5g71v5GWspOid70WehTWEz97PqxG3IN1Jv5jsbOXOw3Z3Rr/0UtywzEgbqFfdA==",
  ],
  [
    "P2, another",
    { ...publishedBare, storetype: "3d", rnd: "12345" },
    "123456",
    "4aUsG5hqlIFLc9s8PKc5rWb2OLhmxDDewNgKa2XrwoYCIxlyVq8Fjl4IVaZzoqL983CfTseicmnTA0PjZr74xg==",
  ],
  [
    "P3, a real return of a bank, which a sort by bytes gets wrong,",
    PUBLISHED_RETURN,
    "123456",
    "jVgcwtx4vxxAcX8+ajsrrzp77k9uaGu1pjDQfCpoUG95y2MwwGipc6cF3kESiTphjV8/1ESSc6zg9KyTSxUnzA==",
  ],
  [
    "O1, values with what has to be escaped",
    { ...ownForm, oid: "hf:7f3c|pay\\01", BillToName: "Şule Öztürk" },
    "TEST|KEY\\1",
    "oCvJJNDkoqdcQDb9RSs49wn3P99EEIuoXHK6AawHzgOdAJKb8DuV87q5B4P0d+ZrC1flWBYd3/SRohtgC4a0mw==",
  ],
  [
    "O2, the same without",
    ownForm,
    "TEST1234",
    "yT4B2uDI53V5olzjzK2GO+qdhUAvfqsxa0cdn/8cH467jdkxTJJDic5KUCcuPzDmoL3WXROaVIuNIC5CMh5lXg==",
  ],
  [
    "O3, a return",
    ownReturn,
    "TEST1234",
    "Mg1d3q+b3azHo865jehlQu/eZXVEmHmaaH5wglqZs8WJZN2OB2hju5/GypPZxsFG7WROSyoYQiL7FzjQunZecQ==",
  ],
])("%s has the signature of the protocol's description", (_, fields, key, hash) => {
  const form = Object.entries(fields);
  expect(ver3Hash(form, key)).toBe(hash);
  expect(ver3Hash(form.toReversed(), key)).toBe(hash);
  expect(isSigned(hash, [...form, ["HASH", hash]], key)).toBe(true);
  // A form that is posted without care turns each + into a space.
  expect(isSigned(hash.replaceAll("+", " "), form, key)).toBe(true);
});

describe("a signature", () => {
  const key = "TEST1234";
  const form: FormFields = Object.entries(ownReturn);
  const hash = ver3Hash(form, key);

  test.each(form.filter(([name]) => name !== "encoding"))("covers the field %s", (name) => {
    const changed = form.map(([of, value]) => [of, of === name ? `${value}0` : value] as const);
    expect(isSigned(hash, changed, key)).toBe(false);
  });

  test.each([
    ["another key", hash, form, "TEST1235"],
    ["a field more", hash, [...form, ["amount2", "1"]] as FormFields, key],
    ["a field less", hash, form.slice(1), key],
    ["no hash", "", form, key],
    ["a hash of another length", hash.slice(1), form, key],
  ])("is refused for %s", (_, given, fields, of) => {
    expect(isSigned(given, fields, of)).toBe(false);
  });

  test("may leave out the fields that the account names, or cover them", () => {
    const more: FormFields = [...form, ["NATIONALIDNO", "10000000146"], ["countdown", "5"]];
    const unsigned = ["nationalIdNo", "COUNTDOWN", "other"];
    expect(isSigned(hash, more, key, unsigned)).toBe(true);
    expect(isSigned(ver3Hash(more, key), more, key, unsigned)).toBe(true);
    expect(isSigned(hash, more, key, ["countdown"])).toBe(false);
  });

  test("never moves a part of one value into the next", () => {
    const text = fc.string({ unit: fc.constantFrom("|", "\\", "a"), maxLength: 6 });
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        const one = ver3Hash([["a", a], ["b", b]], key); // prettier-ignore
        const other = ver3Hash([["a", c], ["b", d]], key); // prettier-ignore
        expect(one === other).toBe(a === c && b === d);
      }),
    );
  });
});

describe("the published return", () => {
  const key = "123456";
  const form: FormFields = Object.entries(PUBLISHED_RETURN);
  const withValue = (name: string, value: string): FormFields =>
    form.map(([of, given]) => [of, of === name ? value : given]);
  const hashOfBytes = (fields: FormFields) => {
    const text = fields
      .filter(([name]) => name !== "encoding")
      .toSorted(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
      .map(([, value]) => `${value}|`)
      .join("");
    // The three letters that ISO 8859-9 has in place of Icelandic ones.
    const latin = text.replaceAll("İ", "Ý").replaceAll("ş", "þ").replaceAll("ğ", "ð");
    return createHash("sha512")
      .update(Buffer.from(latin + key, "latin1"))
      .digest("base64");
  };

  test("is genuine whether the bank has hashed UTF-8 or the bytes of its page in ISO 8859-9", () => {
    const turkish = withValue("merchantName", "İşbank 3d Mağaza");
    expect(isSigned(hashOfBytes(turkish), turkish, key)).toBe(true);
    expect(isSigned(ver3Hash(turkish, key), turkish, key)).toBe(true);
    expect(isSigned(hashOfBytes(turkish), withValue("merchantName", "İsbank 3d Mağaza"), key)).toBe(false);
  });

  test("has no bytes in ISO 8859-9 for a character that is not in it", () => {
    const asked = withValue("merchantName", "?");
    expect(isSigned(hashOfBytes(asked), asked, key)).toBe(true);
    expect(isSigned(hashOfBytes(asked), withValue("merchantName", "中"), key)).toBe(false);
  });

  test.each([
    ['L\'Atelier & <Co> "İz"', "L&#39;Atelier &amp; &lt;Co&gt; &quot;&#x130;z&quot;"],
    ["5 €", "5 &#8364;"],
    ["L'Atelier", "L&apos;Atelier\n"],
    ["L'Atelier", "L'Atelier\r\n"],
    ["a\nb", "a\r\nb"],
    ["&nbsp; &#1114112;", "&nbsp; &#1114112;\n"],
  ])("is genuine with the signed value %o that was posted as %o, and is read as signed", (signed, posted) => {
    const hash = ver3Hash(withValue("merchantName", signed), key);
    const read = signedReading(withValue("merchantName", posted), hash, { storeKey: key, unsigned: [] });
    expect(read?.(posted)).toBe(signed);
  });

  test("keeps what looks like an entity where the bank has signed it as it is", () => {
    const fields = withValue("merchantName", "L&#39;Atelier\n");
    const read = signedReading(fields, ver3Hash(fields, key), { storeKey: key, unsigned: [] });
    expect(read?.("&#39;\n")).toBe("&#39;\n");
  });
});
