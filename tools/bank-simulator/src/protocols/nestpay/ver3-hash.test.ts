import { expect, test } from "vitest";

import { isHash, ver3Hash } from "./ver3-hash.ts";

const shopForm = {
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

const { firmaadi: _, Email: __, ...withoutNames } = shopForm;

/** The fields and hash of this return come from the tests of mewebstudio/pos (MIT). */
const bankReturn = {
  ReturnOid: "202210308C0F",
  TRANID: "",
  hashAlgorithm: "ver3",
  PAResSyntaxOK: "true",
  firmaadi: "John Doe",
  islemtipi: "Auth",
  lang: "tr",
  merchantID: "190200000",
  maskedCreditCard: "4355 08** **** 4358",
  amount: "1.01",
  sID: "1",
  ACQBIN: "454672",
  Ecom_Payment_Card_ExpDate_Year: "26",
  EXTRA_CARDBRAND: "VISA",
  Email: "mail@customer.com",
  MaskedPan: "435508***4358",
  acqStan: "184784",
  merchantName: "Ziraat 3D_Pay",
  clientIp: "89.244.149.137",
  EXTRA_KAZANILANPUAN: "000000010.00",
  okUrl: "http://localhost/akbank/3d-pay/response.php",
  md: "435508:51104213993AC8DFE8839C7F7E391B461115D09A1D88948C8ACE421D7D7EAA5A:3545:##190200000",
  ProcReturnCode: "00",
  payResults_dsId: "1",
  taksit: "",
  TransId: "22303RqiC11252",
  EXTRA_TRXDATE: "20221030 17:42:33",
  Ecom_Payment_Card_ExpDate_Month: "12",
  storetype: "3d_pay",
  Response: "Approved",
  SettleId: "2383",
  mdErrorMsg:
    "Y-status/Challenge authentication via ACS: https://3ds-acs.test.modirum.com/mdpayacs/creq?token=214711321.1667140951.Ud_jQl3B2l1",
  ErrMsg: "",
  PAResVerified: "true",
  cavv: "ABABBCgghAAAAABllJMDdZdTdic=",
  digest: "digest",
  HostRefNum: "230317184784",
  callbackCall: "true",
  AuthCode: "216981",
  failUrl: "http://localhost/akbank/3d-pay/response.php",
  xid: "N1An1iS5iN4u/1VWS6CgzSGRtN0=",
  encoding: "ISO-8859-9",
  currency: "949",
  oid: "202210308C0F",
  mdStatus: "1",
  dsId: "1",
  eci: "05",
  version: "2.0",
  EXTRA_CARDISSUER: "AKBANK T.A.S.",
  clientid: "190200000",
  txstatus: "Y",
  HASH: "to be left out",
  rnd: "J/jGATA5LLVaMfpU+Yyu",
};

const escapedForm = {
  clientid: "990000001",
  storetype: "3d",
  TranType: "Auth",
  amount: "1249.90",
  currency: "949",
  oid: "hf:7f3c|pay\\01",
  okUrl: "https://pay.example.test/3ds/ok?s=1",
  failUrl: "https://pay.example.test/3ds/fail",
  rnd: "5f2d8c0b7a914e36",
  lang: "tr",
  taksit: "3",
  hashAlgorithm: "ver3",
  encoding: "UTF-8",
  BillToName: "Şule Öztürk",
  Email: "sule@example.test",
  pan: "4355084355084358",
  Ecom_Payment_Card_ExpDate_Month: "12",
  Ecom_Payment_Card_ExpDate_Year: "30",
  cv2: "000",
};

test.each([
  [
    "P1, a published form",
    shopForm,
    "123456",
    "/uPxhEKWCEGi3NsDOOQ4u8Hu5g71v5GWspOid70WehTWEz97PqxG3IN1Jv5jsbOXOw3Z3Rr/0UtywzEgbqFfdA==",
  ],
  [
    "P2, another one",
    { ...withoutNames, storetype: "3d", rnd: "12345" },
    "123456",
    "4aUsG5hqlIFLc9s8PKc5rWb2OLhmxDDewNgKa2XrwoYCIxlyVq8Fjl4IVaZzoqL983CfTseicmnTA0PjZr74xg==",
  ],
  [
    "P3, a real return of a bank, which a sort by bytes gets wrong",
    bankReturn,
    "123456",
    "jVgcwtx4vxxAcX8+ajsrrzp77k9uaGu1pjDQfCpoUG95y2MwwGipc6cF3kESiTphjV8/1ESSc6zg9KyTSxUnzA==",
  ],
  [
    "O1, values and a store key with bars and backslashes, and Turkish letters",
    escapedForm,
    "TEST|KEY\\1",
    "oCvJJNDkoqdcQDb9RSs49wn3P99EEIuoXHK6AawHzgOdAJKb8DuV87q5B4P0d+ZrC1flWBYd3/SRohtgC4a0mw==",
  ],
])("the hash of version 3 is that of the vector %s", (_, fields, storeKey, hash) => {
  expect(ver3Hash(Object.entries(fields), storeKey)).toBe(hash);
});

test("a hash is compared as a whole, and a space stands for the plus that a form has lost", () => {
  expect(isHash("a+b==", "a+b==")).toBe(true);
  expect(isHash("a b==", "a+b==")).toBe(true);
  expect(isHash("a+c==", "a+b==")).toBe(false);
  expect(isHash("", "a+b==")).toBe(false);
});
