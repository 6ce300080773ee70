import { expect, test } from "vitest";

import {
  auth,
  credentials,
  preAuth,
  readAnswer,
  requestXml,
  startTestBank,
  type TestBank,
} from "../../test/test-bank.ts";

const operations = ["authorize", "sale", "capture", "void", "refund"] as const;
type Operation = (typeof operations)[number];

test.each(operations)("%s: declined by the issuer, as often as was queued", async (operation) => {
  await using bank = await startTestBank();
  const ask = await prepared(bank, operation);
  await bank.fault(operation, "decline", 2);
  for (let count = 0; count < 2; count += 1) {
    expect(await bank.ask(ask)).toMatchObject({ Response: "Declined", ProcReturnCode: "05" });
  }
  expect((await bank.ask(ask)).Response).toBe("Approved");
  expect((await linesOf(bank, operation)).map(({ outcome }) => outcome)).toEqual([
    "declined",
    "declined",
    "approved",
  ]);
});

test.each(
  operations.flatMap((operation) =>
    ["hang", "reset", "http_500", "garbage", "gateway_error"].map(
      (behaviour) => [operation, behaviour] as const,
    ),
  ),
)("%s: %s has its effect, and no answer that says so", async (operation, behaviour) => {
  await using bank = await startTestBank();
  const ask = await prepared(bank, operation);
  await bank.fault(operation, behaviour);
  expect(await isApproved(bank, ask)).toBe(false);
  expect(await linesOf(bank, operation)).toMatchObject([{ outcome: "approved" }]);
});

test.each(
  operations.flatMap((operation) =>
    ["hang_before", "gateway_error_before"].map((behaviour) => [operation, behaviour] as const),
  ),
)("%s: %s has no effect", async (operation, behaviour) => {
  await using bank = await startTestBank();
  const ask = await prepared(bank, operation);
  await bank.fault(operation, behaviour);
  expect(await isApproved(bank, ask)).toBe(false);
  expect(await linesOf(bank, operation)).toEqual([]);
  expect((await bank.ask(ask)).Response).toBe("Approved");
});

test("trouble of the gateway has a code without a prefix and no order id", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "gateway_error_before");
  expect(await bank.ask(auth("o"))).toMatchObject({
    Response: "Error",
    ProcReturnCode: "99",
    OrderId: "",
    "Extra/ERRORCODE": "2100",
    "Extra/NUMCODE": "992104",
  });
});

test("a late answer comes after its effect", async () => {
  await using bank = await startTestBank({ latenessMs: 3_600_000 });
  await bank.fault("sale", "late");
  const late = bank.ask(auth("o")).catch(() => "cut");
  await expect.poll(() => bank.ledger()).toHaveLength(1);
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("C");
  await bank.restart();
  expect(await late).toBe("cut");
});

test("a call for an order that has one running is refused", async () => {
  await using bank = await startTestBank({ latenessMs: 3_600_000 });
  await bank.fault("sale", "late_effect");
  const late = bank.ask(auth("o")).catch(() => "cut");
  const second = { Type: "Void", OrderId: "o" };
  await expect.poll(async () => (await bank.ask(second))["Extra/ERRORCODE"]).toBe("CORE-2304");
  expect((await bank.status("o")).Response).toBe("Declined");
  expect((await bank.ask(auth("other"))).Response).toBe("Approved");
  await bank.modes({ oneCallAnOrder: false });
  expect((await bank.ask(second))["Extra/ERRORCODE"]).toBe("CORE-2008");
  await bank.restart();
  expect(await late).toBe("cut");
  expect((await bank.status("o")).Response).toBe("Declined");
});

test("a host that does not answer is declined with 92, and reversed by the bank itself", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "host_timeout");
  expect(await bank.ask(auth("o"))).toMatchObject({
    Response: "Declined",
    ProcReturnCode: "92",
    "Extra/ERRORCODE": "ISO8583-92",
  });
  expect(await bank.status("o")).toMatchObject({ "Extra/TRANS_STAT": "R", "Extra/PROC_RET_CD": "92" });
  expect((await bank.ask(auth("o")))["Extra/ERRORCODE"]).toBe("CORE-2016");
  await bank.advance(5);
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("D");
  expect((await bank.ask(auth("o"))).Response).toBe("Approved");
});

test.each([
  ["issuer_unavailable", "91"],
  ["system_error", "96"],
])("%s is declined with %s", async (behaviour, code) => {
  await using bank = await startTestBank();
  await bank.fault("sale", behaviour);
  expect(await bank.ask(auth("o"))).toMatchObject({ Response: "Declined", ProcReturnCode: code });
});

test("the day ends between a void's arrival and its judgement", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("void", "day_closes");
  expect((await bank.ask({ Type: "Void", OrderId: "o" }))["Extra/ERRORCODE"]).toBe("CORE-2511");
});

test("a part is approved, and only an inquiry says which", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "partial");
  expect(await bank.ask(auth("o", { Total: "12.51" }))).toMatchObject({ Response: "Approved" });
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("625");
  expect(await bank.ledger()).toMatchObject([{ amountMinor: 625, requestedMinor: 1_251 }]);
});

test("a part of what is declined is declined as a whole", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "partial");
  await bank.ask(auth("o", { Cvv2Val: "082" }));
  expect(await bank.ledger()).toMatchObject([{ outcome: "declined", amountMinor: 1_250 }]);
});

test("the issuer is not asked about what the gateway refuses", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("sale", "decline");
  expect((await bank.ask(auth("o")))["Extra/ERRORCODE"]).toBe("CORE-2507");
});

test("a declined void has voided nothing", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("void", "decline");
  await bank.ask({ Type: "Void", OrderId: "o" });
  expect((await bank.ledger())[1]).toMatchObject({ outcome: "declined", voided: null });
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBe("C");
});

test("a wrong amount is shown by inquiries alone, as the other answers have none", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "wrong_amount");
  await bank.ask(auth("o"));
  expect((await bank.status("o"))["Extra/CAPTURE_AMT"]).toBe("1251");
  await bank.restart();
  expect((await bank.history("o"))[0]?.slice(2, 4)).toEqual(["1251", "1251"]);
  expect(await bank.ledger()).toMatchObject([{ amountMinor: 1_250 }]);
});

test("an inquiry can show a wrong amount once", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.fault("inquire", "wrong_amount");
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("1251");
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("1250");
});

test("strange characters are around the texts, in XML that is well-formed", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "control_characters");
  const { AuthCode, ErrMsg, TransId } = await bank.ask(auth("o"));
  expect(AuthCode).toContain("\u007F\u00AD");
  expect(ErrMsg?.length).toBeGreaterThan(200);
  expect(TransId).toMatch(/^[0-9A-Za-z]+$/);
});

test("characters that XML may not have make an answer unreadable", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "illegal_characters");
  await expect(bank.ask(auth("o"))).rejects.toThrow("not a CC5Response");
  expect(await bank.ledger()).toHaveLength(1);
});

test.each(["hang", "http_500", "garbage", "reset", "gateway_error", "illegal_characters"])(
  "an inquiry: %s",
  async (behaviour) => {
    await using bank = await startTestBank();
    await bank.ask(auth("o"));
    await bank.fault("inquire", behaviour);
    expect(await isApproved(bank, { OrderId: "o", "Extra/ORDERSTATUS": "QUERY" })).toBe(false);
    expect((await bank.status("o")).Response).toBe("Approved");
  },
);

test("queued faults are cleared, and what is no fault is refused", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "decline");
  await bank.control("DELETE", "/faults");
  expect((await bank.ask(auth("o"))).Response).toBe("Approved");
  for (const fault of [
    { operation: "void", behaviour: "partial" },
    { operation: "inquire", behaviour: "decline" },
    { operation: "sale", behaviour: "wrong_hash" },
    { operation: "sale", behaviour: "decline", times: 0 },
  ]) {
    expect((await bank.control("POST", "/faults", fault)).status).toBe(400);
  }
});

test.each([
  ["4000000000000002", "05"],
  ["4000000000009995", "51"],
  ["4000000000000069", "54"],
])("the card %s is declined with %s", async (Number, code) => {
  await using bank = await startTestBank();
  expect(await bank.ask(auth("o", { Number }))).toMatchObject({
    Response: "Declined",
    ProcReturnCode: code,
    "Extra/ERRORCODE": `ISO8583-${code}`,
  });
});

test.each(["4000000000000119", "4000000000000341", "4000000000000036", "4000000000000051"])(
  "the card %s is charged, and nobody says so",
  async (Number) => {
    await using bank = await startTestBank();
    expect(await isApproved(bank, auth("o", { Number }))).toBe(false);
    expect(await bank.ledger()).toMatchObject([{ outcome: "approved" }]);
    // The card's fault is over once the order has succeeded.
    expect((await bank.ask(auth("o", { Number })))["Extra/ERRORCODE"]).toBe("CORE-2507");
  },
);

test("the card 4000000000000127 is not charged, and nobody says so", async () => {
  await using bank = await startTestBank();
  expect(await isApproved(bank, auth("o", { Number: "4000000000000127" }))).toBe(false);
  expect(await bank.ledger()).toEqual([]);
});

test.each(["4000000000000101", "4000000000000259"])("the card %s is late, and charged", async (Number) => {
  await using bank = await startTestBank();
  expect((await bank.ask(auth("o", { Number }))).Response).toBe("Approved");
});

test("the card 4000000000000044 is charged, and shown with another amount", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o", { Number: "4000000000000044" }));
  expect((await bank.status("o"))["Extra/ORIG_TRANS_AMT"]).toBe("1251");
});

test.each([
  "4111111111111111",
  "5555555555554444",
  "378282246310005",
  "9792000000000003",
  "4546711234567894",
  "4355084355084358",
  "5406675406675403",
  "4000000000003220",
  "4000000000003055",
  "4000000000003097",
])("the card %s is charged", async (Number) => {
  await using bank = await startTestBank();
  expect((await bank.ask(auth("o", { Number }))).Response).toBe("Approved");
});

/** Makes the movements that the operation needs, and returns its request. */
async function prepared(bank: TestBank, operation: Operation): Promise<Record<string, string | null>> {
  switch (operation) {
    case "sale":
      return auth("o");
    case "authorize":
      return preAuth("o");
    case "capture":
      await bank.ask(preAuth("o"));
      return { Type: "PostAuth", OrderId: "o", Total: "10" };
    case "void":
      await bank.ask(auth("o"));
      return { Type: "Void", OrderId: "o" };
    case "refund":
      await bank.ask(auth("o"));
      await bank.endDay();
      return { Type: "Credit", OrderId: "o", Total: "10" };
    default:
      return operation satisfies never;
  }
}

async function linesOf(bank: TestBank, operation: Operation) {
  return (await bank.ledger()).filter((line) => line.operation === operation);
}

async function isApproved(bank: TestBank, fields: Record<string, string | null>): Promise<boolean> {
  try {
    const response = await bank.post(requestXml({ ...credentials, ...fields }));
    return response.status === 200 && (await readAnswer(response)).Response === "Approved";
  } catch {
    return false;
  }
}
