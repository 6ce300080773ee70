import type { IncomingMessage } from "node:http";

import { expect, test } from "vitest";

import { auth, preAuth, startTestBank } from "../test/test-bank.ts";
import { addressOf } from "./api/fim-api.ts";
import { defaultModes } from "./modes.ts";

test("ERRORCODE stands beside Extra", async () => {
  await using bank = await startTestBank({ modes: { errorCodeBesideExtra: true } });
  const answer = await bank.ask({ Type: "Void", OrderId: "x" });
  expect(answer).toMatchObject({ ERRORCODE: "CORE-2008", "Extra/NUMCODE": "992008" });
  expect(answer).not.toHaveProperty("Extra/ERRORCODE");
  expect(await bank.ask(auth("o", { Cvv2Val: "082" }))).toMatchObject({ ERRORCODE: "ISO8583-82" });
});

test("a decline comes without AuthCode and ProcReturnCode", async () => {
  await using bank = await startTestBank({ modes: { bareDeclines: true } });
  const answer = await bank.ask(auth("o", { Cvv2Val: "082" }));
  expect(answer.Response).toBe("Declined");
  expect(answer).not.toHaveProperty("AuthCode");
  expect(answer).not.toHaveProperty("ProcReturnCode");
});

test("every refusal by the gateway comes without the order's id", async () => {
  await using bank = await startTestBank({ modes: { emptyOrderIdInErrors: true } });
  expect(await bank.ask({ Type: "PostAuth", OrderId: "x" })).toMatchObject({ OrderId: "", GroupId: "" });
});

test("ERRORCODE has no prefix", async () => {
  await using bank = await startTestBank({ modes: { unprefixedErrorCodes: true } });
  expect((await bank.ask({ Type: "Void", OrderId: "x" }))["Extra/ERRORCODE"]).toBe("2008");
});

test("a refusal by the gateway looks like a decline, with the order's id", async () => {
  await using bank = await startTestBank({ modes: { declinedRefusals: true } });
  expect(await bank.ask({ Type: "Void", OrderId: "x" })).toMatchObject({
    Response: "Declined",
    ProcReturnCode: "99",
    OrderId: "x",
    "Extra/ERRORCODE": "CORE-2008",
    "Extra/NUMCODE": "99",
    "Extra/EXTENDED_ERROR_CODE": "215001",
  });
});

test("a refusal comes without a TransId", async () => {
  await using bank = await startTestBank({ modes: { transIdInRefusals: false } });
  expect(await bank.ask({ Type: "Void", OrderId: "x" })).not.toHaveProperty("TransId");
});

test("texts are English", async () => {
  await using bank = await startTestBank({ modes: { language: "en" } });
  expect((await bank.ask({ Type: "Void", OrderId: "x" })).ErrMsg).toBe("There is nothing to void");
  expect((await bank.status("x")).ErrMsg).toBe("No record found for x");
});

test("a sale is shown as authorized, without a captured amount, until the day's end", async () => {
  await using bank = await startTestBank({ modes: { saleShownAuthorized: true } });
  await bank.ask(auth("sale"));
  await bank.ask(preAuth("hold"));
  await bank.ask({ Type: "PostAuth", OrderId: "hold" });
  expect((await bank.history("sale"))[0]?.slice(0, 6)).toEqual([
    "S",
    "A",
    "1250",
    "",
    "2026-11-22 12:00:00.000",
    "",
  ]);
  expect((await bank.status("hold"))["Extra/TRANS_STAT"]).toBe("C");
  await bank.endDay();
  expect((await bank.history("sale"))[0]?.slice(0, 4)).toEqual(["S", "S", "1250", "1250"]);
});

test("a sale is refunded on its day", async () => {
  await using bank = await startTestBank({ modes: { sameDayCredit: true } });
  await bank.ask(auth("o"));
  expect((await bank.ask({ Type: "Credit", OrderId: "o", Total: "1" })).Response).toBe("Approved");
});

test("the hold of a voided capture is back where the bank does so, and gone where not", async () => {
  await using bank = await startTestBank();
  const holds: (string | undefined)[] = [];
  for (const orderId of ["gone", "back"]) {
    await bank.modes({ voidReturnsHold: orderId === "back" });
    holds.push((await bank.ask(preAuth(orderId))).TransId);
    await bank.ask({ Type: "PostAuth", OrderId: orderId, Total: "10" });
    expect((await bank.ask({ Type: "Void", OrderId: orderId })).Response).toBe("Approved");
  }
  expect((await bank.status("gone"))["Extra/TRANS_STAT"]).toBe("V");
  const [back = []] = await bank.history("back");
  expect(back.slice(0, 4)).toEqual(["S", "A", "1250", ""]);
  expect(back[10]).toBe(holds[1]);
  expect((await bank.ask({ Type: "PostAuth", OrderId: "gone" }))["Extra/ERRORCODE"]).toBe("CORE-2509");
  expect((await bank.ask({ Type: "PostAuth", OrderId: "back" })).Response).toBe("Approved");
});

test.each([
  ["wrong_password", "CORE-2201", "Kullanıcı doğrulanamadı"],
  ["password_expired", "CORE-2201", "Kullanıcı şifresinin süresi dolmuş"],
  ["address_not_allowed", "CORE-2254", "IP adresi izinli değil"],
  ["locked", "CORE-2311", "Sanal terminal kilitli"],
  ["closed", "CORE-2126", "İşyeri kapalı"],
] as const)("access %s keeps everything out, inquiries included", async (access, code, ErrMsg) => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.modes({ access });
  for (const request of [
    auth("p"),
    { Type: "Void", OrderId: "o" },
    { OrderId: "o", "Extra/ORDERSTATUS": "QUERY" },
  ]) {
    const answer = await bank.ask(request);
    expect(answer).toMatchObject({
      Response: "Error",
      ProcReturnCode: "99",
      ErrMsg,
      "Extra/ERRORCODE": code,
    });
    expect(answer).not.toHaveProperty("Extra/ORDERSTATUS");
  }
  expect(await bank.ledger()).toHaveLength(1);
});

test("an address may be allowed for everything but voids and refunds", async () => {
  await using bank = await startTestBank({ modes: { access: "address_not_allowed_for_reversals" } });
  expect((await bank.ask(auth("o"))).Response).toBe("Approved");
  for (const Type of ["Void", "Credit"]) {
    expect((await bank.ask({ Type, OrderId: "o", Total: "1" }))["Extra/ERRORCODE"]).toBe("CORE-2254");
  }
});

test("a merchant's own addresses are the only ones that it may call from", async () => {
  await using bank = await startTestBank({ options: { allowedAddresses: ["203.0.113.7"] } });
  expect((await bank.ask(auth("o")))["Extra/ERRORCODE"]).toBe("CORE-2254");
  await using open = await startTestBank({ options: { allowedAddresses: ["127.0.0.1"] } });
  expect((await open.ask(auth("o"))).Response).toBe("Approved");
});

test("an IPv4 address in an IPv6 socket is the same address", () => {
  const request = { socket: { remoteAddress: "::ffff:203.0.113.7" } } as IncomingMessage;
  expect(addressOf(request)).toBe("203.0.113.7");
});

test("another name than the API user's is not let in", async () => {
  await using bank = await startTestBank();
  expect((await bank.ask({ ...auth("o"), Name: "admin" }))["Extra/ERRORCODE"]).toBe("CORE-2201");
});

test("a merchant's own rules win over the bank's modes", async () => {
  await using bank = await startTestBank({ options: { sameDayCredit: true } });
  await bank.modes({ sameDayCredit: false });
  await bank.ask(auth("o"));
  expect((await bank.ask({ Type: "Credit", OrderId: "o", Total: "1" })).Response).toBe("Approved");
});

test("what PUT /modes leaves out stays, and what is none is refused", async () => {
  await using bank = await startTestBank();
  await bank.control("PUT", "/modes", { language: "en" });
  const { body } = await bank.control("PUT", "/modes", { access: "locked" });
  expect(body).toMatchObject({ language: "en", access: "locked", sameDayCredit: false });
  for (const wrong of [{ access: "none" }, { unknown: true }]) {
    expect((await bank.control("PUT", "/modes", wrong)).status).toBe(400);
  }
  await bank.restart();
  expect((await bank.control("PUT", "/modes", {})).body).toEqual(defaultModes);
});

test("time moves forward only", async () => {
  await using bank = await startTestBank();
  expect((await bank.control("POST", "/clock", { advanceSeconds: -1 })).status).toBe(400);
  await bank.advance(86_400);
  expect((await bank.ask(auth("o")))["Extra/TRXDATE"]).toBe("20261123 12:00:00");
});
