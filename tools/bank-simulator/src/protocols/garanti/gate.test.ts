// The gate of 3-D Secure, its return, and the payment after it.
import { expect, test } from "vitest";

import { submit } from "../../core/test/test-bank.ts";
import { returnHash } from "./hashes.ts";
import {
  authenticate,
  codeOf,
  complete,
  gateForm,
  RETURN_URL,
  startTestBank,
  STORE,
} from "./test/test-bank.ts";

const LIST = "clientid:oid:authcode:procreturncode:response:mdstatus:cavv:eci:md:rnd:";
const isSigned = (fields: Record<string, string>) => {
  const values = LIST.slice(0, -1)
    .split(":")
    .map((name) => fields[name] ?? "");
  return fields["hashparams"] === LIST && fields["hash"] === returnHash(values, STORE.storeKey);
};

test("a challenge that is answered comes back signed, without the card, and pays once", async () => {
  await using bank = await startTestBank();
  const { action, fields } = await authenticate(bank);
  expect(action).toBe(RETURN_URL);
  expect(fields).toMatchObject({
    mdstatus: "1",
    oid: "o",
    clientid: STORE.terminalId,
    response: "",
    txnamount: "1250",
  });
  expect(fields["xid"]).toMatch(/^[\w+/]{27}=$/);
  expect(isSigned(fields)).toBe(true);
  expect(JSON.stringify(fields)).not.toMatch(/4282209004348015|cardcvv2/);
  expect(codeOf(await bank.ask(complete(fields)))).toBe("ok");
  expect(codeOf(await bank.ask(complete(fields)))).toBe("0104");
  expect(await bank.ledger()).toMatchObject([
    { pan: "428220******8015", authentication: { mdStatus: "1", eci: "05" } },
    { outcome: "declined" },
  ]);
});

test.each([
  ["another amount", { Amount: "1251" }, "0804"],
  ["another order", { "Order/OrderID": "p" }, "0804"],
  ["another cavv", { "Transaction/Secure3D/AuthenticationCode": "AAAA" }, "0804"],
  ["an unknown Md", { "Transaction/Secure3D/Md": "AAAA" }, "0804"],
  ["no Md", { "Transaction/Secure3D/Md": "" }, "0763"],
  ["another type, which the Md does not bind", { Type: "preauth" }, "ok"],
])("a payment with %s", async (_, changes, code) => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank);
  expect(codeOf(await bank.ask(complete(fields, changes)))).toBe(code);
});

test.each([
  ["4000030000000090", "0", "/error", "0763", {}],
  ["4000030000000041", "1", "", "ok", {}],
  ["4000030000000082", "2", "", "ok", {}],
  ["4000030000000082", "2", "", "0804", { halfSecure: false }],
  ["4000030000000074", "4", "", "ok", {}],
  ["4000030000000017", "7", "/error", "0763", {}],
])(
  "the card %s has mdstatus %s, comes back to the address%s, and pays: %s %j",
  async (pan, status, path, code, modes) => {
    await using bank = await startTestBank({ modes });
    const { action, fields } = await authenticate(bank, { cardnumber: pan });
    expect(action).toBe(`${RETURN_URL}${path}`);
    expect(fields["mdstatus"]).toBe(status);
    expect(fields["xid"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(isSigned(fields)).toBe(true);
    expect(codeOf(await bank.ask(complete(fields)))).toBe(code);
  },
);

test("a cancelled challenge is a failed one, without eci and cavv", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank, {}, { answer: "cancel" });
  expect(fields).toMatchObject({ mdstatus: "0", eci: "", cavv: "" });
});

test.each([
  ["a wrong hash", { secure3dhash: "0" }, "Guvenlik Kodu hatali"],
  ["another user", { terminalprovuserid: "PROVRFN" }, "Kullanici hatali"],
  ["no amount", { txnamount: "0" }, "Tutar hatali"],
  ["one installment", { txninstallmentcount: "1" }, "Taksit hatali"],
  ["an expired card", { cardexpiredateyear: "20" }, "Tarih hatali"],
])("%s comes back without a hash", async (_, changes, mderrormessage) => {
  await using bank = await startTestBank();
  const { action, fields } = await authenticate(bank, changes);
  expect(action).toBe(`${RETURN_URL}/error`);
  expect(fields).toMatchObject({ mdstatus: "7", response: "Error", procreturncode: "99", mderrormessage });
  expect(fields).not.toHaveProperty("hash");
});

test("faults bend the return: its hash, its list, its order and its amount", async () => {
  await using bank = await startTestBank();
  const bent = async (behaviour: string) => {
    await bank.fault("enrol", behaviour);
    return (await authenticate(bank)).fields;
  };
  expect(isSigned(await bent("wrong_hash"))).toBe(false);
  expect(await bent("no_hash")).not.toHaveProperty("hashparams");
  expect((await bent("other_list"))["hashparams"]).toBe("clientid:oid:");
  expect((await bent("other_order"))["oid"]).toBe("-");
  expect((await bent("wrong_amount"))["txnamount"]).toBe("1251");
  expect(await bent("error_page")).toEqual({ response: "Error", errmsg: "Sistem hatasi" });
  expect((await bent("decline"))["mdstatus"]).toBe("0");
  await bank.modes({ access: "outage" });
  expect((await submit(`${bank.url}/servlet/gt3dengine`, gateForm())).status).toBe(500);
});
