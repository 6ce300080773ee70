import { describe, expect, test } from "vitest";

import { judge } from "@holdfast/acquirer";
import { nestpayConnector } from "./nestpay-connector.ts";
import { nestpaySettings } from "./nestpay-settings.ts";
import { cardCall, connectTo, followUp, inquiryOf, playBank, SECRETS, soon } from "./test/nestpay-bench.ts";
import {
  answerXml,
  approvedXml,
  emptyHistoryXml,
  historyRow,
  historyXml,
  refusedXml,
  startScriptedBank,
} from "./test/scripted-bank.ts";

const { bank, acquirer } = await playBank();

const types = () => bank.received.map(({ fields }) => fields.get("Type") ?? "history");
const pending = { kind: "unknown", reason: "pending" };
const invalid = { kind: "unknown", reason: "invalid_answer" };
const mismatch = { kind: "unknown", reason: "mismatch" };
const credentials = { kind: "not_sent", reason: "credentials" };

describe("an authorization and a sale", () => {
  test.each([
    ["authorize", "PreAuth"],
    ["sale", "Auth"],
  ] as const)("%s is %s, approved in the amount that was asked for", async (operation, type) => {
    const request = cardCall({ amountMinor: 124_990n, currency: "EUR", installmentCount: 3 });
    bank.script(approvedXml(request.orderId, "22302V8rE11732"));
    expect(await acquirer[operation](request)).toEqual({
      kind: "approved",
      amountMinor: 124_990n,
      currency: "EUR",
      externalTransactionId: "22302V8rE11732",
      authCode: "621911",
      resultCode: "00",
      resultMessage: "",
    });
    const [{ path, fields } = { path: "", fields: new Map<string, string>() }] = bank.received;
    expect(path).toBe("/fim/api");
    expect(Object.fromEntries(fields)).toMatchObject({
      Name: SECRETS.apiUser,
      Password: SECRETS.apiPassword,
      ClientId: "990000001",
      Type: type,
      OrderId: request.orderId,
      Total: "1249.90",
      Currency: "978",
      Taksit: "3",
      IPAddress: "203.0.113.7",
    });
  });

  test("a refusal of the issuer is a decline with its class", async () => {
    const request = cardCall();
    const declined = {
      OrderId: request.orderId,
      Response: "Declined",
      ProcReturnCode: "51",
      ErrMsg: "Yetersiz bakiye",
    };
    bank.script(answerXml({ ...declined, TransId: "T9", Extra: { NUMCODE: "51", ERRORCODE: "ISO8583-51" } }));
    expect(await acquirer.sale(request)).toEqual({
      kind: "declined",
      declineClass: "limit",
      externalTransactionId: "T9",
      resultCode: "51",
      resultMessage: "Yetersiz bakiye",
    });
  });

  test.each([
    ["2603", { kind: "declined", declineClass: "technical", resultCode: "CORE-2603" }],
    ["2507", pending],
    ["2304", pending],
    ["1003", invalid],
    ["2201", credentials],
    ["2254", credentials],
    ["2204", credentials],
  ])("the gateway's CORE-%s is what it proves", async (core, expected) => {
    bank.script(refusedXml(core));
    expect(await acquirer.authorize(cardCall())).toMatchObject(expected);
  });

  test("instalments that the merchant may not offer are no fault of the account", async () => {
    bank.script(refusedXml("2204"));
    expect(await acquirer.sale(cardCall({ installmentCount: 2 }))).toMatchObject({ kind: "declined" });
  });

  test("what the protocol cannot carry is not sent", async () => {
    const unsupported = { kind: "not_sent", reason: "unsupported" };
    bank.script();
    for (const request of [
      cardCall({ currency: "JPY" }),
      cardCall({ amountMinor: 0n }),
      cardCall({ amountMinor: 10n ** 18n }),
      cardCall({ orderId: "a-b" }),
      cardCall({ orderId: "a".repeat(65) }),
    ]) {
      expect(await acquirer.sale(request)).toEqual(unsupported);
    }
    expect(await acquirer.release(followUp())).toEqual(unsupported);
    expect(await acquirer.inquire(inquiryOf("../x"))).toEqual(unsupported);
    expect(bank.received).toEqual([]);
  });
});

describe("a capture", () => {
  test("is a PostAuth of its amount, with a name of its own", async () => {
    const request = followUp({ amountMinor: 4_000n });
    bank.script(approvedXml(request.orderId, "T2"));
    expect(await acquirer.capture(request)).toMatchObject({
      kind: "approved",
      amountMinor: 4_000n,
      externalTransactionId: "T2",
    });
    expect(Object.fromEntries(bank.received[0]!.fields)).toMatchObject({ Type: "PostAuth", Total: "40.00" });
  });

  test.each(["2509", "2506", "2115"])(
    "refused with CORE-%s may have been carried out before",
    async (core) => {
      const request = followUp();
      const settle = (...rows: string[]) =>
        bank.script(refusedXml(core), historyXml(request.orderId, ...rows));
      settle(historyRow("S", "C", { transId: "T2" }));
      expect(await acquirer.capture(request)).toMatchObject({
        kind: "approved",
        externalTransactionId: "T2",
      });
      settle(historyRow("S", "S", { original: "9999", transId: "T2" }));
      expect(await acquirer.capture(request)).toEqual(mismatch);
      for (const state of ["V", "A"]) {
        settle(historyRow("S", state));
        expect(await acquirer.capture(request)).toMatchObject({
          kind: "declined",
          resultCode: `CORE-${core}`,
        });
      }
      settle(historyRow("S", "R"));
      expect(await acquirer.capture(request)).toEqual(pending);
      settle(historyRow("S", "C"), historyRow("S", "C", { transId: "T2" }));
      expect(await acquirer.capture(request)).toEqual(mismatch);
      bank.script(refusedXml(core), emptyHistoryXml(request.orderId));
      expect(await acquirer.capture(request)).toEqual(invalid);
      bank.script(refusedXml(core));
      expect(await acquirer.capture(request)).toEqual(invalid);
    },
  );

  test("refused for another reason is declined without another question", async () => {
    bank.script(refusedXml("2513"));
    expect(await acquirer.capture(followUp())).toMatchObject({ kind: "declined", declineClass: "hard" });
    expect(types()).toEqual(["PostAuth"]);
  });
});

describe("an inquiry", () => {
  test("returns every movement of the order, by which the port's judgement decides", async () => {
    const { orderId } = cardCall();
    const rows = [historyRow("C", "C", { original: "2500", transId: "T2" }), historyRow("S", "S")];
    bank.script(historyXml(orderId, ...rows));
    const inquiry = await acquirer.inquire(inquiryOf(orderId, { operation: "sale" }));
    if (inquiry.kind !== "found") throw new Error(inquiry.kind);
    expect(inquiry.movements.map(({ kind, amountMinor }) => [kind, amountMinor])).toEqual([
      ["sale", 10_000n],
      ["refund", 2_500n],
    ]);
    const attempt = { reference: "r", amountMinor: 2_500n, currency: "TRY" } as const;
    const capabilities = nestpayConnector.capabilities(nestpaySettings.parse(SETTINGS));
    expect(judge({ ...attempt, kind: "refund" }, inquiry, capabilities)).toMatchObject({
      kind: "approved",
      externalTransactionId: "T2",
    });
    const names = { before: ["T2"], others: [] };
    const next = { ...attempt, kind: "refund", names } as const;
    expect(judge(next, inquiry, capabilities)).toEqual({ kind: "not_found" });
  });

  test("tells an order that the bank does not know from a question that it does not answer", async () => {
    const { orderId } = cardCall();
    bank.script(emptyHistoryXml(orderId));
    expect(await acquirer.inquire(inquiryOf(orderId))).toEqual({ kind: "not_found" });
    bank.script(refusedXml("2201"));
    expect(await acquirer.inquire(inquiryOf(orderId))).toEqual(credentials);
    bank.script(emptyHistoryXml("another"));
    expect(await acquirer.inquire(inquiryOf(orderId))).toEqual(mismatch);
  });
});

describe("a probe", () => {
  test("moves nothing, and tells a wrong password from an unreachable host", async () => {
    bank.script();
    const probe = acquirer.probe(soon());
    expect(await probe).toMatchObject({ kind: "unreachable" });
    const asked = bank.received[0]?.fields;
    expect([asked?.get("ORDERHISTORY"), asked?.get("Type")]).toEqual(["QUERY", undefined]);
    bank.script(refusedXml("2201"));
    expect(await acquirer.probe(soon())).toMatchObject({ kind: "credentials" });
  });

  test("is well where the bank does not know an order that nobody has", async () => {
    const honest = await startScriptedBank((fields) => emptyHistoryXml(fields.get("OrderId") ?? ""));
    const account = connectTo(honest.url);
    expect(await account.probe(soon())).toEqual({ kind: "ok" });
    await account.close();
    await honest.close();
  });
});

const SETTINGS = {
  apiUrl: "https://b.example/fim/api",
  gateUrl: "https://b.example/fim/est3Dgate",
  clientId: "1",
};
