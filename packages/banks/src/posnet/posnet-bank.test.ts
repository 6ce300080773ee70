import { describe, expect, test } from "vitest";

import { CARD, soon } from "../test/calls.ts";
import { macOf } from "./macs.ts";
import {
  approval,
  begun,
  cardCall,
  enrolment,
  followUp,
  inquiry,
  installments,
  KEY,
  MERCHANT,
  MOVEMENT,
  NAME,
  names,
  noRecord,
  nowhere,
  ORDER,
  PLAIN,
  playBank,
  record,
  refusal,
  resolved,
  returned,
  reversal,
  secureApproval,
  secureRefusal,
  SECRETS,
  SECURE,
  target,
  TERMINAL,
  xml,
} from "./test/posnet-bench.ts";

const { acquirer, script, types, sent, received } = await playBank();
const pending = { kind: "unknown", reason: "pending" };
const mismatch = { kind: "unknown", reason: "mismatch" };
const unsupported = { kind: "not_sent", reason: "unsupported" };
const SECOND = "021450428990000192";

describe("a payment", () => {
  test.each(["sale", "authorize"] as const)("%s names card, amount and order", async (operation) => {
    script(approval(MOVEMENT, installments("03")));
    const outcome = await acquirer[operation](cardCall({ installmentCount: 3 }));
    expect(outcome).toEqual({
      kind: "approved",
      amountMinor: 10_000n,
      currency: "TRY",
      externalTransactionId: MOVEMENT,
      authCode: "504289",
      resultCode: "00",
      resultMessage: "",
    });
    expect(sent()).toEqual({
      call: operation === "sale" ? "sale" : "auth",
      mid: MERCHANT,
      tid: TERMINAL,
      tranDateRequired: "1",
      amount: "10000",
      ccno: CARD.pan,
      expDate: "3012",
      cvc: CARD.cvv,
      currencyCode: "TL",
      orderID: PLAIN,
      installment: "03",
    });
    expect(received[0]!.headers).toMatchObject({
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      "x-merchant-id": MERCHANT,
      "x-terminal-id": TERMINAL,
      "x-posnet-id": "9644",
      "x-correlation-id": expect.stringMatching(/^[0-9a-f]{24}$/),
    });
  });

  test("in one, in dollars and by phone has its own words", async () => {
    script(approval());
    await acquirer.sale(cardCall({ currency: "USD", initiator: { by: "merchant", channel: "moto" } }));
    expect(sent()).toMatchObject({ currencyCode: "US", installment: "00", mailorderflag: "Y" });
  });

  test("that the protocol cannot carry is not sent", async () => {
    script(approval());
    for (const more of [
      { currency: "GBP" },
      { amountMinor: 10_000_000n },
      { amountMinor: 0n },
      { orderId: "8f1c2a3b4d5e4f708192a3b4c5d6e7f8" },
      { orderId: `f${ORDER.slice(1)}` },
    ])
      expect(await acquirer.sale(cardCall(more))).toEqual(unsupported);
    expect(await acquirer.inquire(inquiry({ orderId: "1" }))).toEqual(unsupported);
    expect(types()).toEqual([]);
  });

  test.each([
    ["0051", { kind: "declined", declineClass: "limit", resultCode: "0051" }],
    ["0999", { kind: "unknown", reason: "invalid_answer" }],
    ["0127", pending],
    ["0217", pending],
    ["0091", pending],
    ["0148", { kind: "not_sent", reason: "credentials" }],
  ])("refused with %s", async (code, outcome) => {
    script(refusal(code));
    expect(await acquirer.sale(cardCall())).toMatchObject(outcome);
  });

  test("refused with a movement's name is refused all the same", async () => {
    script(refusal("0005", "refused", `<hostlogkey>${MOVEMENT}</hostlogkey><authCode>504289</authCode>`));
    expect(await acquirer.sale(cardCall())).toMatchObject({ kind: "declined", declineClass: "soft" });
  });

  test("that was approved before says nothing of its amount", async () => {
    script(xml("2", `<hostlogkey>${MOVEMENT}</hostlogkey><authCode>1</authCode>`, "0127"));
    expect(await acquirer.sale(cardCall())).toEqual(pending);
  });

  test("of another number of installments is none of ours", async () => {
    script(approval(MOVEMENT, installments("03")));
    expect(await acquirer.sale(cardCall())).toEqual(mismatch);
  });
});

describe("an approval that has to be confirmed", async () => {
  const sure = await playBank({ confirmAmounts: true });
  test.each([
    ["the record has the amount", [record("Sale")], { kind: "approved" }],
    ["the order is one of 3-D Secure", [noRecord(), record("Sale", SECURE)], { kind: "approved" }],
    [
      "the order has the prefix of another time",
      [noRecord(), noRecord(), record("Sale", `TDSC${NAME}`)],
      { kind: "approved" },
    ],
    ["a part", [record("Sale amount=50,00")], mismatch],
    ["another currency", [record("Sale currencyCode=US")], mismatch],
    ["another order", [record("Sale", SECURE)], mismatch],
    ["a hold in its place", [record("Authorization")], mismatch],
    ["another movement", [record(`Sale hostlogkey=${SECOND}`)], mismatch],
    ["two", [record(`Sale; Sale hostlogkey=${SECOND}`)], mismatch],
    ["none yet", nowhere(), pending],
  ])("%s", async (_, answers, outcome) => {
    sure.script(approval(), ...answers);
    expect(await sure.acquirer.sale(cardCall())).toMatchObject(outcome);
    expect(sure.types().slice(0, 2)).toEqual(["sale", "agreement"]);
  });

  test("is not believed of a hold that the record shows as a sale", async () => {
    sure.script(approval(), record("Sale"));
    expect(await sure.acquirer.authorize(cardCall())).toMatchObject(mismatch);
  });
});

describe("a capture", () => {
  test("repeats the hold's installments, and has a name of its own", async () => {
    script(approval());
    const of = target({ installmentCount: 3, capturedMinor: 0n });
    const outcome = await acquirer.capture(followUp({ ...of, amountMinor: 6_000n }));
    expect(outcome).toMatchObject({ kind: "approved", externalTransactionId: `${MOVEMENT}/capt` });
    expect(sent()).toMatchObject({
      call: "capt",
      hostLogKey: MOVEMENT,
      amount: "6000",
      currencyCode: "TL",
      installment: "03",
    });
  });

  test("of a hold whose name was lost asks for it", async () => {
    script(record("Authorization"), approval());
    const { externalTransactionId: _, ...lost } = target().target;
    expect(await acquirer.capture(followUp({ target: lost }))).toMatchObject({ kind: "approved" });
    script(...nowhere());
    expect(await acquirer.capture(followUp({ target: lost }))).toEqual({ kind: "not_sent" });
    expect(types()).toEqual(["agreement", "agreement", "agreement"]);
  });

  test("of an unknown number of installments is not sent", async () => {
    script(approval());
    expect(await acquirer.capture(followUp(target({ installmentCount: undefined })))).toEqual(unsupported);
    expect(types()).toEqual([]);
  });

  test("that is refused because it was carried out before is approved by the record", async () => {
    script(refusal("0219"), record("Authorization; Capture amount=100,00"));
    expect(await acquirer.capture(followUp())).toMatchObject({
      kind: "approved",
      externalTransactionId: `${MOVEMENT}/capt`,
    });
    script(refusal("0219"), record("Authorization"));
    expect(await acquirer.capture(followUp())).toMatchObject({ kind: "declined", resultCode: "0219" });
    // The capture has been sent, whatever keeps the record from being read.
    script(refusal("0219"), refusal("0148"));
    expect(await acquirer.capture(followUp())).toEqual(pending);
  });
});

describe("a refund", () => {
  test("names the sale", async () => {
    script(approval(SECOND));
    const outcome = await acquirer.refund(followUp({ amountMinor: 1n }));
    expect(outcome).toMatchObject({ kind: "approved", externalTransactionId: SECOND, amountMinor: 1n });
    expect(sent()).toMatchObject({ call: "return", hostLogKey: MOVEMENT, amount: "1", currencyCode: "TL" });
  });

  test("names the capture, which the record shows", async () => {
    script(record(`Authorization; Capture hostlogkey=${SECOND}`), approval("021450428990000193"));
    const refund = followUp(target({ capturedMinor: 10_000n }));
    expect(await acquirer.refund(refund)).toMatchObject({ kind: "approved" });
    expect(sent(1)).toMatchObject({ call: "return", hostLogKey: SECOND });
  });

  test.each([
    ["the sale's own name", approval(), mismatch],
    ["more than is left", refusal("0205"), { kind: "declined", declineClass: "technical" }],
    ["more than is left, by another code", refusal("0005"), { kind: "declined", declineClass: "technical" }],
    ["no such movement", refusal("0123"), { kind: "not_sent", reason: "no_record" }],
    ["not before the day's end", refusal("0411"), { kind: "not_sent", reason: "day_not_ended" }],
    ["a code of another call", refusal("0220"), { kind: "unknown" }],
  ])("%s", async (_, answer, outcome) => {
    script(answer);
    expect(await acquirer.refund(followUp())).toMatchObject(outcome);
  });
});

describe("a void", () => {
  const gone = "txnStatus=0";
  test.each([
    ["a sale", "Sale", `Sale ${gone}; Sale_Reverse hostlogkey=${SECOND}`, "sale"],
    ["a hold", "Authorization", `Authorization ${gone}; Authorization_Reverse`, "auth"],
    ["a sale that only its status shows as voided", "Sale", `Sale ${gone} authCode=`, "sale"],
  ])("of %s names it", async (_, before, after, transaction) => {
    script(record(before), record(before), approval(SECOND), record(after));
    expect(await acquirer.cancel(followUp())).toMatchObject({
      kind: "approved",
      externalTransactionId: MOVEMENT,
    });
    expect(sent(2)).toMatchObject({ call: "reverse", transaction, hostLogKey: MOVEMENT });
  });

  const captured = followUp(target({ capturedMinor: 10_000n }));
  const both = "Authorization; Capture";
  const half = `Authorization; Capture ${gone}; Capture_Reverse`;
  const none = `Authorization ${gone}; Authorization_Reverse; Capture ${gone}; Capture_Reverse`;
  test("of a capture is followed by that of its hold", async () => {
    script(
      record(both),
      record(both),
      approval(SECOND),
      record(half),
      record(half),
      approval("3"),
      record(none),
    );
    expect(await acquirer.cancel(captured)).toMatchObject({ kind: "approved" });
    expect(sent(2)).toMatchObject({ transaction: "capt", hostLogKey: MOVEMENT });
    expect(sent(5)).toMatchObject({ transaction: "auth", hostLogKey: MOVEMENT });
  });

  test("of a capture whose hold the bank does not let go says that it stands", async () => {
    script(
      record(both),
      record(both),
      approval(SECOND),
      record(half),
      record(half),
      refusal("0202"),
      record(half),
    );
    expect(await acquirer.cancel(captured)).toMatchObject({ kind: "approved", holdStands: true });
  });

  test("that undid the capture alone goes on with a hold that does not count again", async () => {
    const left = record(`Authorization ${gone}; Capture ${gone}; Capture_Reverse`);
    script(left, left, approval("3"), record(none));
    expect(await acquirer.cancel(captured)).toMatchObject({ kind: "approved" });
    expect(sent(2)).toMatchObject({ transaction: "auth", hostLogKey: MOVEMENT });
    script(left, left, refusal("0202"), left);
    expect(await acquirer.cancel(captured)).toMatchObject({ kind: "approved", holdStands: true });
  });

  test.each([
    ["0211", {}, { kind: "settled", resultCode: "0211" }],
    ["0229", {}, { kind: "settled" }],
    ["0217", {}, pending],
    ["0217", { isRepeated: true }, { kind: "settled" }],
    ["0123", {}, pending],
    ["0220", { isRepeated: true }, pending],
    ["0218", { isRepeated: true }, { kind: "refused" }],
    ["0202", { isRepeated: true }, { kind: "refused" }],
    ["0999", {}, { kind: "unknown", reason: "invalid_answer" }],
    ["0091", {}, pending],
  ] as const)("refused with %s of what the record shows, %o", async (code, more, outcome) => {
    script(record("Sale"), record("Sale"), refusal(code), record("Sale"));
    expect(await acquirer.reverse(reversal(more))).toMatchObject(outcome);
  });

  test("of a hold that the bank no longer has is too late once its week is over", async () => {
    const hold = record("Authorization");
    const daysOld = (days: number) => new Date(Date.now() - days * 86_400_000);
    const cancelRefused = (code: string, days: number, more?: { isRepeated: true }) => {
      script(hold, hold, refusal(code), hold);
      return acquirer.cancel(followUp({ ...target({ capturedMinor: 0n, at: daysOld(days) }), ...more }));
    };
    expect(await cancelRefused("0122", 8, { isRepeated: true })).toMatchObject({
      kind: "declined",
      declineClass: "technical",
      isTooLate: true,
      resultCode: "0122",
    });
    for (const days of [0, 5, 8]) expect(await cancelRefused("0122", days)).toEqual(pending);
    // Missing rights say nothing about the hold.
    expect(await cancelRefused("0225", 8)).not.toHaveProperty("isTooLate");
  });

  test("of a hold is not sent once somebody has captured it in the bank's panel", async () => {
    script(record(both));
    expect(await acquirer.cancel(followUp(target({ capturedMinor: 0n })))).toMatchObject({
      kind: "declined",
      resultCode: "CAPTURED",
    });
    // If there is a refund, too, an operator has to decide.
    script(record(`${both}; Return hostlogkey=3 amount=40,00`));
    expect(await acquirer.cancel(followUp(target({ capturedMinor: 0n })))).toEqual(mismatch);
    expect(types()).toEqual(["agreement"]);
  });

  test("is not sent beside a refund, nor where the record shows nothing", async () => {
    script(record(`Sale; Return hostlogkey=${SECOND} amount=40,00`));
    expect(await acquirer.reverse(reversal())).toEqual(mismatch);
    script(...nowhere());
    expect(await acquirer.reverse(reversal())).toEqual({ kind: "nothing_found" });
    expect(types()).toEqual(["agreement", "agreement", "agreement"]);
  });
});

describe("3-D Secure", () => {
  const page = { contentType: "text/html; charset=utf-8", body: '<html><form action="https://acs.example">' };

  test("begins with the card, and posts the form that the bank gives", async () => {
    script(begun(), page);
    const outcome = await acquirer.enrol(enrolment({ installmentCount: 2, cardHolderName: "Işıl Çağ" }));
    expect(outcome).toEqual({
      kind: "challenge",
      session: ORDER,
      challenge: { type: "html", html: page.body },
    });
    expect(sent()).toMatchObject({
      call: "oosRequestData",
      posnetid: "9644",
      XID: NAME,
      amount: "10000",
      currencyCode: "TL",
      installment: "02",
      tranType: "Sale",
      cardHolderName: "Isil Cag",
      ccno: CARD.pan,
      expDate: "3012",
      cvc: CARD.cvv,
    });
    expect(sent(1)).toEqual({
      mid: MERCHANT,
      posnetID: "9644",
      posnetData: "AB".repeat(156),
      posnetData2: "CD".repeat(52),
      digest: "0".repeat(32),
      vftCode: "",
      merchantReturnURL: "https://gateway.example/3ds/return/state",
      lang: "tr",
      url: "",
      openANewWindow: "0",
    });
  });

  test.each([
    ["a refusal", [refusal("E189")], { kind: "declined", declineClass: "technical", resultCode: "E189" }],
    ["a stranger", [refusal("0003", "148 MID,TID,IP HATALI")], { kind: "not_sent", reason: "credentials" }],
    ["no packets", [begun({ data2: "" })], { kind: "unknown" }],
    [
      "a page with the packet of the card",
      [begun(), { ...page, body: `${page.body}${"cD".repeat(52)}` }],
      { kind: "unknown" },
    ],
    ["a page that leads nowhere", [begun(), { ...page, body: '<form action="">' }], { kind: "unknown" }],
    ["a page with the card", [begun(), { ...page, body: `<html>${CARD.pan}` }], { kind: "unknown" }],
    ["no page", [begun(), { contentType: "text/plain", body: "no" }], { kind: "unknown" }],
  ])("%s is no challenge", async (_, answers, outcome) => {
    script(...answers);
    expect(await acquirer.enrol(enrolment())).toMatchObject(outcome);
  });

  test("is not begun for a return that the bank does not take", async () => {
    script(begun(), page);
    const returnUrl = `https://gateway.example/${"x".repeat(255)}`;
    expect(await acquirer.enrol(enrolment({ returnUrl }))).toEqual(unsupported);
    expect(types()).toEqual([]);
  });

  const completion = (more: object = {}) => ({
    ...cardCall(),
    operation: "sale" as const,
    session: ORDER,
    returned: returned(),
    expiresAt: soon(),
    ...more,
  });

  test("is paid once the bank has resolved that the holder is authenticated", async () => {
    script(resolved(), secureApproval());
    expect(await acquirer.complete(completion())).toMatchObject({
      kind: "approved",
      externalTransactionId: MOVEMENT,
      authentication: { transStatus: "Y" },
    });
    const mac = macOf({ name: NAME, amount: "10000", currency: "TL" }, KEY);
    expect(sent()).toMatchObject({
      call: "oosResolveMerchantData",
      bankData: "CD".repeat(40),
      merchantData: "AB".repeat(60),
      sign: "0".repeat(32),
      mac,
    });
    expect(sent(1)).toMatchObject({ call: "oosTranData", bankData: "CD".repeat(40), wpAmount: "0", mac });
    for (const { body } of received) expect(body).not.toContain(SECRETS.encKey);
  });

  test.each<[string, string, object]>([
    [
      "a holder who failed",
      resolved({ mdStatus: "0", txStatus: "N" }),
      { kind: "declined", resultCode: "MD-0" },
    ],
    [
      "attempted, which is not accepted",
      resolved({ mdStatus: "4" }),
      { kind: "declined", resultCode: "MD-4" },
    ],
    ["a test terminal", resolved({ mdStatus: "9" }), { kind: "declined", resultCode: "MD-9" }],
    ["no status", resolved({ mdStatus: "" }), { kind: "declined", resultCode: "MD-" }],
    ["a contradiction", resolved({ txStatus: "N" }), { kind: "declined" }],
    ["another contradiction", resolved({ mdStatus: "4", txStatus: "N" }), { kind: "declined" }],
    ["another order", resolved({ xid: "7K2M9Q4T8W3X6Z5B1C0D" }), { kind: "not_genuine", why: "other_order" }],
    ["another amount", resolved({ amount: "100" }), { kind: "not_genuine", why: "other_amount" }],
    ["another currency", resolved({ currency: "US" }), { kind: "not_genuine", why: "other_amount" }],
    ["other installments", resolved({ installment: "03" }), { kind: "not_genuine", why: "other_amount" }],
    ["a wrong MAC", resolved({ mac: "AAAA" }), { kind: "not_genuine", why: "signature" }],
    ["no MAC", resolved({ mac: "" }), { kind: "not_genuine", why: "signature" }],
    [
      "another status than is signed",
      resolved().replace("<mdStatus>1", "<mdStatus>2"),
      { kind: "not_genuine" },
    ],
    ["packets that the bank does not take", refusal("0600"), { kind: "not_genuine", why: "signature" }],
    ["a failure of the bank", refusal("E998"), { kind: "not_sent" }],
    ["a code of no list", refusal("0999"), { kind: "not_sent" }],
    ["a stranger", refusal("0148"), { kind: "not_sent", reason: "credentials" }],
    ["garbage", "<html>", { kind: "not_sent" }],
    ["no block", approval(), { kind: "not_sent" }],
  ])("%s is charged nothing", async (_, answer, outcome) => {
    script(answer, secureApproval());
    const completed = await acquirer.complete(completion());
    expect(completed).toMatchObject(outcome);
    expect(types()).toEqual(["oosResolveMerchantData"]);
  });

  test("a return without packets costs no call", async () => {
    script();
    for (const more of [{ Sign: undefined }, { BankPacket: "x" }])
      expect(await acquirer.complete(completion({ returned: returned(more) }))).toMatchObject({
        kind: "not_genuine",
      });
    expect(types()).toEqual([]);
  });

  const SIGNED = { name: NAME, amount: "10000", currency: "TL" };
  test.each([
    ["no MAC, of which the record decides", secureApproval(""), pending],
    ["a wrong MAC", secureApproval("AAAA"), mismatch],
    [
      "another movement's MAC",
      secureApproval(macOf({ name: NAME, amount: "10000", currency: "TL" }, KEY, SECOND)),
      mismatch,
    ],
    [
      "another amount's MAC",
      secureApproval(macOf({ name: NAME, amount: "1", currency: "TL" }, KEY, MOVEMENT)),
      mismatch,
    ],
    ["a signed refusal", secureRefusal("0051"), { kind: "declined", declineClass: "limit" }],
    ["a refusal without a MAC, of which the record decides", secureRefusal("0051", ""), pending],
    [
      "a refusal with the MAC of an approval",
      refusal("0005", "refused", names() + `<mac>${macOf(SIGNED, KEY, MOVEMENT)}</mac>`),
      mismatch,
    ],
    ["a stranger", refusal("0148"), { kind: "not_sent", reason: "credentials" }],
  ])("the payment's answer with %s", async (_, answer, outcome) => {
    script(resolved(), answer);
    expect(await acquirer.complete(completion())).toMatchObject(outcome);
  });
});

test("a probe asks for an order that does not exist", async () => {
  script(...nowhere());
  expect(await acquirer.probe(soon())).toEqual({ kind: "ok" });
  script(refusal("0148"));
  expect(await acquirer.probe(soon())).toEqual({
    kind: "credentials",
    detail: "the bank refuses the merchant, the terminal or this machine's address",
  });
  script(refusal("0999"));
  expect(await acquirer.probe(soon())).toMatchObject({ kind: "unreachable" });
});
