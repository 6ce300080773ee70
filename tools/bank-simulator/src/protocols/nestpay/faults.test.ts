// The faults and test cards that are this protocol's own, and that the core's reach every kind of call.
import { expect, test } from "vitest";

import { auth, preAuth, startTestBank, type Fields } from "./test/test-bank.ts";

const voiding = { Type: "Void", OrderId: "o" };

test.each<[operation: string, before: (Fields | "the day ends")[], call: Fields]>([
  ["authorize", [], preAuth("o")],
  ["sale", [], auth("o")],
  ["capture", [preAuth("o")], { Type: "PostAuth", OrderId: "o", Total: "10" }],
  ["void", [auth("o")], voiding],
  ["refund", [auth("o"), "the day ends"], { Type: "Credit", OrderId: "o", Total: "10" }],
])("%s: faults reach it before its effect, in it and after it", async (operation, before, call) => {
  await using bank = await startTestBank();
  for (const step of before) await (step === "the day ends" ? bank.endDay() : bank.ask(step));
  const effects = async () => (await bank.ledger()).filter((line) => line.operation === operation);
  await bank.fault(operation, "gateway_error_before");
  expect((await bank.ask(call)).Response).toBe("Error");
  await bank.fault(operation, "hang_before");
  await expect(bank.ask(call)).rejects.toThrow("fetch failed");
  expect(await effects()).toEqual([]);
  await bank.fault(operation, "decline");
  expect((await bank.ask(call)).Response).toBe("Declined");
  await bank.fault(operation, "gateway_error");
  expect((await bank.ask(call)).Response).toBe("Error");
  expect(await effects()).toMatchObject([{ outcome: "declined" }, { outcome: "approved" }]);
});

test("faults of an inquiry bend its answer, once", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("inquire", "gateway_error");
  expect((await bank.status("o")).Response).toBe("Error");
  await bank.fault("inquire", "illegal_characters");
  await expect(bank.status("o")).rejects.toThrow("not a CC5Response");
  expect((await bank.status("o")).Response).toBe("Approved");
});

test("trouble of the gateway has a code without a prefix", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "gateway_error_before");
  const codes = { "Extra/ERRORCODE": "2100", "Extra/NUMCODE": "992104" };
  expect(await bank.ask(auth("o"))).toMatchObject({ Response: "Error", OrderId: "", ...codes });
});

test("a call for an order that has one running is refused", async () => {
  await using bank = await startTestBank({ latenessMs: 3_600_000 });
  await bank.fault("sale", "late_effect");
  const late = bank.ask(auth("o")).catch(() => "cut");
  await expect.poll(() => bank.code(voiding)).toBe("CORE-2304");
  expect((await bank.status("o")).Response).toBe("Declined");
  expect((await bank.ask(auth("other"))).Response).toBe("Approved");
  await bank.modes({ oneCallAnOrder: false });
  expect(await bank.code(voiding)).toBe("CORE-2008");
  await bank.restart();
  expect(await late).toBe("cut");
  expect((await bank.status("o")).Response).toBe("Declined");
});

test("a host that does not answer is declined with 92, and reversed by the bank itself", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "host_timeout");
  expect(await bank.ask(auth("o"))).toMatchObject({ Response: "Declined", ProcReturnCode: "92" });
  expect(await bank.status("o")).toMatchObject({ "Extra/TRANS_STAT": "R", "Extra/PROC_RET_CD": "92" });
  expect(await bank.code(auth("o"))).toBe("CORE-2016");
  await bank.advance(5);
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("D");
  expect((await bank.ask(auth("o"))).Response).toBe("Approved");
});

test.each([
  ["issuer_unavailable", "91"],
  ["system_error", "96"],
])("%s is declined with %s", async (behaviour, ProcReturnCode) => {
  await using bank = await startTestBank();
  await bank.fault("sale", behaviour);
  expect(await bank.ask(auth("o"))).toMatchObject({ Response: "Declined", ProcReturnCode });
});

test("the day ends between a void's arrival and its judgement", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("void", "day_closes");
  expect(await bank.code(voiding)).toBe("CORE-2511");
});

test("a part is approved, and only an inquiry says which; what is declined is declined as a whole", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "partial");
  expect(await bank.ask(auth("o", { Total: "12.51" }))).toMatchObject({ Response: "Approved" });
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("625");
  await bank.fault("sale", "partial");
  await bank.ask(auth("p", { Cvv2Val: "082" }));
  const [part, whole] = await bank.ledger();
  expect(part).toMatchObject({ amountMinor: 625, requestedMinor: 1_251 });
  expect(whole).toMatchObject({ outcome: "declined", amountMinor: 1_250 });
});

test("the issuer is not asked about what the gateway refuses, and a declined void has voided nothing", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("sale", "decline");
  expect(await bank.code(auth("o"))).toBe("CORE-2507");
  await bank.fault("void", "decline");
  await bank.ask(voiding);
  expect((await bank.ledger()).at(-1)).toMatchObject({ outcome: "declined", voided: null });
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("C");
});

test("a wrong amount is shown by inquiries alone, of a call for good and of an inquiry once", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("inquire", "wrong_amount");
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("1251");
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("1250");
  await bank.fault("sale", "wrong_amount");
  await bank.ask(auth("p"));
  await bank.restart();
  expect((await bank.history("p"))[0]?.slice(2, 4)).toEqual(["1251", "1251"]);
  expect((await bank.ledger())[1]).toMatchObject({ amountMinor: 1_250 });
});

test("strange characters are around the texts, in XML that is well-formed or is none", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "control_characters");
  const { AuthCode, ErrMsg, TransId } = await bank.ask(auth("o"));
  expect(AuthCode).toContain("\u007F\u00AD");
  expect(ErrMsg?.length).toBeGreaterThan(200);
  expect(TransId).toMatch(/^[0-9A-Za-z]+$/);
  await bank.fault("sale", "illegal_characters");
  await expect(bank.ask(auth("p"))).rejects.toThrow("not a CC5Response");
  expect(await bank.ledger()).toHaveLength(2);
});

test.each([
  ["void", "partial"],
  ["inquire", "decline"],
  ["sale", "wrong_hash"],
])("a fault is of its own calls alone: %s, %s", async (operation, behaviour) => {
  await using bank = await startTestBank();
  await expect(bank.fault(operation, behaviour)).rejects.toThrow("400");
});

test.each([
  ["4000000000000002", "05"],
  ["4000000000009995", "51"],
  ["4000000000000069", "54"],
])("the card %s is declined with %s", async (Number, code) => {
  await using bank = await startTestBank();
  const declined = { Response: "Declined", ProcReturnCode: code, "Extra/ERRORCODE": `ISO8583-${code}` };
  expect(await bank.ask(auth("o", { Number }))).toMatchObject({ ...declined, "Extra/NUMCODE": code });
});

test("a card's fault is over once the order has succeeded", async () => {
  await using bank = await startTestBank();
  await expect(bank.ask(auth("o", { Number: "4000000000000119" }))).rejects.toThrow("fetch failed");
  expect(await bank.code(auth("o", { Number: "4000000000000119" }))).toBe("CORE-2507");
});
