import type { IncomingMessage } from "node:http";

import { expect, test } from "vitest";

import { readConfig } from "./config.ts";
import { addressOf } from "./fim.ts";
import { auth, startTestBank, type Answer, type Fields } from "./test/test-bank.ts";
import { defaultModes, type Modes } from "./modes.ts";

const voiding = { Type: "Void", OrderId: "x" };
const declined = auth("o", { Cvv2Val: "082" });
const credit = { Type: "Credit", OrderId: "x", Total: "1" };

test.each<[Partial<Modes>, Fields, Answer]>([
  [{ errorCodeBesideExtra: true }, voiding, { ERRORCODE: "CORE-2008", "Extra/ERRORCODE": undefined }],
  [{ errorCodeBesideExtra: true }, declined, { ERRORCODE: "ISO8583-82" }],
  [
    { bareDeclines: true },
    declined,
    { Response: "Declined", AuthCode: undefined, ProcReturnCode: undefined },
  ],
  [{ emptyOrderIdInErrors: true }, { Type: "PostAuth", OrderId: "x" }, { OrderId: "", GroupId: "" }],
  [{ unprefixedErrorCodes: true }, voiding, { "Extra/ERRORCODE": "2008" }],
  [{ declinedRefusals: true }, voiding, { Response: "Declined", ProcReturnCode: "99", OrderId: "x" }],
  [{ declinedRefusals: true }, voiding, { "Extra/NUMCODE": "99", "Extra/EXTENDED_ERROR_CODE": "215001" }],
  [{ transIdInRefusals: false }, voiding, { TransId: undefined }],
  [{ language: "en" }, voiding, { ErrMsg: "There is nothing to void" }],
  [{ language: "en" }, { OrderId: "x", "Extra/ORDERSTATUS": "QUERY" }, { ErrMsg: "No record found for x" }],
  [{ access: "address_not_allowed_for_reversals" }, auth("o"), { Response: "Approved" }],
  [{ access: "address_not_allowed_for_reversals" }, voiding, { "Extra/ERRORCODE": "CORE-2254" }],
  [{ access: "address_not_allowed_for_reversals" }, credit, { "Extra/ERRORCODE": "CORE-2254" }],
])("%j: %j is answered with %j", async (modes, request, expected) => {
  await using bank = await startTestBank({ modes });
  const answer = await bank.ask(request);
  for (const [name, value] of Object.entries(expected)) expect([name, answer[name]]).toEqual([name, value]);
});

test("a sale is shown as authorized, without a captured amount, until the day's end", async () => {
  await using bank = await startTestBank({ modes: { saleShownAuthorized: true } });
  await bank.ask(auth("sale"));
  for (const Type of ["PreAuth", "PostAuth"]) await bank.ask(auth("hold", { Type }));
  const at = "2026-11-22 12:00:00.000";
  expect((await bank.history("sale"))[0]?.slice(0, 6)).toEqual(["S", "A", "1250", "", at, ""]);
  expect((await bank.status("hold"))["Extra/TRANS_STAT"]).toBe("C");
  await bank.endDay();
  expect((await bank.history("sale"))[0]?.slice(0, 4)).toEqual(["S", "S", "1250", "1250"]);
});

test.each<[Modes["access"], string, string]>([
  ["wrong_password", "CORE-2201", "Kullanıcı doğrulanamadı"],
  ["password_expired", "CORE-2201", "Kullanıcı şifresinin süresi dolmuş"],
  ["address_not_allowed", "CORE-2254", "IP adresi izinli değil"],
  ["locked", "CORE-2311", "Sanal terminal kilitli"],
  ["closed", "CORE-2126", "İşyeri kapalı"],
])("access %s keeps everything out, inquiries included", async (access, code, ErrMsg) => {
  await using bank = await startTestBank({ modes: { access } });
  for (const request of [auth("o"), voiding, { OrderId: "o", "Extra/ORDERSTATUS": "QUERY" }]) {
    const refusal = { Response: "Error", ProcReturnCode: "99", ErrMsg, "Extra/ERRORCODE": code };
    const answer = await bank.ask(request);
    expect(answer).toMatchObject(refusal);
    expect(answer).not.toHaveProperty("Extra/ORDERSTATUS");
  }
  expect(await bank.ledger()).toEqual([]);
});

test("another name than the API user's, or another address than the merchant's, is not let in", async () => {
  await using bank = await startTestBank({ options: { allowedAddresses: ["203.0.113.7"] } });
  expect(await bank.code(auth("o"))).toBe("CORE-2254");
  await using open = await startTestBank({ options: { allowedAddresses: ["127.0.0.1"] } });
  expect(await open.code({ ...auth("o"), Name: "admin" })).toBe("CORE-2201");
  expect((await open.ask(auth("o"))).Response).toBe("Approved");
  const request = { socket: { remoteAddress: "::ffff:203.0.113.7" } } as IncomingMessage;
  expect(addressOf(request)).toBe("203.0.113.7");
});

test("a merchant's own rules win over the bank's modes, of which PUT /modes takes no others", async () => {
  await using bank = await startTestBank({ options: { sameDayCredit: true } });
  await bank.modes({ sameDayCredit: false });
  await bank.ask(auth("o"));
  expect((await bank.ask({ ...credit, OrderId: "o" })).Response).toBe("Approved");
  await expect(bank.modes({ other: true })).rejects.toThrow("400");
});

const merchant = { clientId: "1", name: "apiuser", password: "s3cret-pass", storeKey: "TEST1234" };
const configOf = (merchants: unknown, more: Record<string, string> = {}) =>
  readConfig({
    NESTPAY_SIMULATOR_LEDGER_FILE: "/tmp/ledger.ndjson",
    NESTPAY_SIMULATOR_MERCHANTS: typeof merchants === "string" ? merchants : JSON.stringify(merchants),
    ...more,
  });

test("the settings have defaults, and each can be set", () => {
  const defaults = { latenessMs: 17_000, reversalMs: 5_000, modes: defaultModes };
  expect(configOf([merchant])).toMatchObject({ ...defaults, merchants: [merchant] });
  const set = configOf([{ ...merchant, options: { installmentsMax: 6 } }], {
    NESTPAY_SIMULATOR_REVERSAL: "3s",
    NESTPAY_SIMULATOR_MODES: '{"language": "en", "halfSecure": true}',
  });
  expect(set).toMatchObject({
    reversalMs: 3_000,
    modes: { ...defaultModes, language: "en", halfSecure: true },
    merchants: [{ options: { installmentsMax: 6, terminalId: "00990001" } }],
  });
  const wrongMode = { NESTPAY_SIMULATOR_MODES: '{"other": true}' };
  expect(() => configOf([merchant], wrongMode)).toThrow("NESTPAY_SIMULATOR_MODES");
});

test.each([
  ["no merchants", []],
  ["no list", {}],
  ["no JSON", '{"password": "s3cret-pass"'],
  ["twenty-one merchants", Array.from({ length: 21 }, (_, n) => ({ ...merchant, clientId: `${n}` }))],
  ["one client id twice", [merchant, merchant]],
  ["an unknown option", [{ ...merchant, options: { other: true } }]],
  ["a client id of 16 digits", [{ ...merchant, clientId: "1".repeat(16) }]],
])("%s: refused in a text that names the variable and no secret", (_, merchants) => {
  expect(() => configOf(merchants)).toThrow("NESTPAY_SIMULATOR_MERCHANTS");
  expect(() => configOf(merchants)).not.toThrow(/s3cret-pass|TEST1234/);
});
