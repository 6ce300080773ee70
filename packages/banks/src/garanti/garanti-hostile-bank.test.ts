import * as fc from "fast-check";
import { expect, test } from "vitest";

import { CARD } from "../test/calls.ts";
import { hostileAnswers } from "../test/hostile-answers.ts";
import {
  answerXml,
  cardCall,
  enrolment,
  followUp,
  historyXml,
  inquiry,
  noHistoryXml,
  playBank,
  refusedXml,
  reversal,
  SECRETS,
  type Scripted,
} from "./test/garanti-bench.ts";

const { acquirer, script } = await playBank();
const trusting = await playBank({ verifyAnswers: false });
const turkish = await playBank({ encoding: "iso-8859-9" });

/** Every call, with one answer for all of its requests. */
const CALLS = {
  authorize: () => acquirer.authorize(cardCall()),
  sale: () => acquirer.sale(cardCall()),
  refund: () => acquirer.refund(followUp()),
  cancel: () => acquirer.cancel(followUp()),
  reverse: () => acquirer.reverse(reversal()),
  inquire: () => acquirer.inquire(inquiry()),
  enrol: () => acquirer.enrol(enrolment()),
};
type Call = keyof typeof CALLS;
const every = Object.keys(CALLS) as Call[];
const ofApi = every.filter((call) => call !== "enrol");
const ofMoney: Call[] = ["authorize", "sale", "refund"];
const ofRecord: Call[] = ["inquire", "reverse", "cancel"];

async function outcomes(answer: Scripted, of: readonly Call[] = every) {
  const found: { kind: string; reason?: string }[] = [];
  for (const call of of) {
    script(answer, answer, answer);
    found.push(await CALLS[call]());
  }
  return found;
}
const all = (outcome: object, of: readonly Call[] = every) => of.map(() => outcome);
const invalid = { kind: "unknown", reason: "invalid_answer" };
const mismatch = { kind: "unknown", reason: "mismatch" };

const approved = answerXml();

test.each<[string, Scripted]>([
  ...hostileAnswers(approved),
  ["HTTP 404 without an order", { status: 404, body: noHistoryXml() }],
  ["no code", approved.replace("<Code>00</Code>", "")],
  ["two codes", approved.replace("<Code>", "<Code>05</Code><Code>")],
  ["two orders", approved.replace("<OrderID>", "<OrderID>x</OrderID><OrderID>")],
])("an answer that is none of the protocol is invalid for every call: %s", async (_, answer) => {
  expect(await outcomes(answer)).toEqual(all(invalid));
});

const otherHash = { hash: "0".repeat(128) };
test.each<[string, string]>([
  ["an approval with another hash", answerXml(otherHash)],
  ["a refusal with another hash", answerXml({ code: "05", ...otherHash })],
  ["no order with another hash", noHistoryXml(otherHash)],
  ["an approval without a hash", answerXml({ hash: "" })],
  ["another password's hash", answerXml({ password: "another" })],
  ["an approval of another order", answerXml({ orderId: "another" })],
  ["a refusal of another order", answerXml({ code: "05", orderId: "another" })],
  ["another order that there is not", noHistoryXml({ orderId: "another" })],
  ["no order at all", answerXml({ orderId: "" })],
  ["another order that refuses the caller", refusedXml("0651", { orderId: "another" })],
  ["another terminal", answerXml({ terminalId: "30691297" })],
  ["another result under the hash", approved.replaceAll(">00<", ">05<").replace("Approved", "Declined")],
  ["another name under the hash", approved.replace("600212345678", "600212345679")],
  ["a name that moved into its neighbour", answerXml({ retrefNum: "6002123456781", authCode: "23456" })],
  ["a name of other characters", answerXml({ retrefNum: "60021234567x" })],
  ["a time of other characters", answerXml({ provDate: "yesterday" })],
])("an answer that is not proven to be the bank's, about our call, is a mismatch: %s", async (_, answer) => {
  expect(await outcomes(answer, ofApi)).toEqual(all(mismatch, ofApi));
});

test("a setting takes answers without a proof, for a bank that signs otherwise", async () => {
  trusting.script(answerXml(otherHash));
  expect(await trusting.acquirer.sale(cardCall())).toMatchObject({ kind: "approved" });
  trusting.script(answerXml({ ...otherHash, orderId: "another" }));
  expect(await trusting.acquirer.sale(cardCall())).toEqual(mismatch);
});

test("the second user's answers may be signed with either password", async () => {
  for (const password of [SECRETS.provPassword, SECRETS.refundPassword]) {
    script(answerXml({ password, retrefNum: "600212345680" }));
    expect(await acquirer.refund(followUp())).toMatchObject({ kind: "approved" });
  }
  script(answerXml({ password: SECRETS.refundPassword }));
  expect(await acquirer.sale(cardCall())).toEqual(mismatch);
});

test.each<[string, string]>([
  ["a reason that contradicts", answerXml({ reason: "05" })],
  ["no reason", answerXml({ reason: "" })],
  ["a text that contradicts", answerXml({ message: "Declined" })],
  ["a text in capitals", answerXml({ message: "APPROVED" })],
  ["a third source", answerXml({ source: "X" })],
  ["no name", answerXml({ retrefNum: "" })],
  ["a name of zeros", answerXml({ retrefNum: "000000000000" })],
  ["an authorization code that no column takes", answerXml({ authCode: CARD.pan })],
  ["a record", historyXml("sales")],
])("an approval that is not whole is invalid: %s", async (_, answer) => {
  expect(await outcomes(answer, ofMoney)).toEqual(all(invalid, ofMoney));
});

test.each(["9998", "9999", "1234"])("the gateway's %s is unknown", async (reason) => {
  expect(await outcomes(refusedXml(reason), ofApi)).toEqual(all(invalid, ofApi));
});

test("blanks around values change nothing, whether they were signed or not", async () => {
  const code = /<(Code|Message|RetrefNum|AuthCode|OrderID)>/g;
  script(approved.replace(code, "<$1> "));
  expect(await CALLS.sale()).toMatchObject({ kind: "approved", externalTransactionId: "600212345678" });
  script(answerXml({ code: "05", authCode: "      " }));
  expect(await CALLS.sale()).toMatchObject({ kind: "declined", resultCode: "05" });
});

test("a bad password was not sent, whichever call it is about and however the answer is signed", async () => {
  const credentials = { kind: "not_sent", reason: "credentials" };
  for (const reason of ["0651", "0652", "0753", "0769"])
    expect(await outcomes(refusedXml(reason, { hash: "" }), ofApi)).toEqual(all(credentials, ofApi));
});

test("a connection that is cut leaves every outcome unknown", async () => {
  const lost = { kind: "unknown", reason: "connection_lost" };
  expect(await outcomes({ status: 0, body: "" })).toEqual(all(lost));
});

test("random bytes are never approved, declined, found or reversed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...every), async (bytes, call) => {
      const answer = { contentType: "text/xml", body: Buffer.from(bytes) };
      expect(await outcomes(answer, [call])).toEqual([invalid]);
    }),
  );
});

const confidential = [CARD.pan, "5528 7900 0000 0008", SECRETS.provPassword, SECRETS.storeKey, "card 739 is"];
test.each(confidential)("a message that repeats what is confidential is dropped: %s", async (text) => {
  for (const code of ["00", "05"]) {
    script(answerXml({ code, errorText: `about ${text}` }));
    expect(await CALLS.sale()).toMatchObject({ resultMessage: "" });
  }
});

test("a message in the bank's letters is read as it is declared, or as the account says", async () => {
  const declared = answerXml({ code: "51", errorText: "Limit şimdi 5555444433332222" });
  const undeclared = declared.replace(/^<\?.*?\?>/, "");
  script(undeclared);
  const message = { kind: "declined", declineClass: "limit", resultMessage: "Limit şimdi …" };
  expect(await CALLS.sale()).toMatchObject(message);
  turkish.script({ body: Buffer.from(undeclared.replace("ş", "\u00fe"), "latin1") });
  expect(await turkish.acquirer.sale(cardCall())).toMatchObject(message);
});

test.each([
  ["no row", ""],
  ["another type", "sales; pointsale"],
  ["an amount that is none", "sales; refund AuthAmount=1,00"],
  ["no amount", "sales AuthAmount=0"],
  ["a hold without its amount", "preauth PreAuthAmount="],
  ["another currency's text", "sales CurrencyCode=TL"],
  ["no currency", "sales CurrencyCode="],
  ["no name", "sales RetrefNum="],
  ["a name of other characters", "sales RetrefNum=60021234567x"],
  ["a success with a refusal's code", "sales ReturnCode=51"],
  ["a void's day that is none", "sales VoidDate=tomorrow"],
  ["installments that are none", "sales InstallmentCnt=x"],
])("a record with one row that cannot be read decides nothing: %s", async (_, rows) => {
  expect(await outcomes(historyXml(rows), ofRecord)).toEqual(all(invalid, ofRecord));
});

test.each<[string, string]>([
  ["an element twice", historyXml("sales").replace("<Status>", "<Status>01</Status><Status>")],
  ["no order, and rows of it", noHistoryXml({ rows: "sales" })],
  ["a refusal that is about something else", refusedXml("0002")],
  ["an issuer's refusal", answerXml({ code: "05" })],
  ["the answer to another call", approved],
])("nor does %s", async (_, answer) => {
  expect(await outcomes(answer, ofRecord)).toEqual(all(invalid, ofRecord));
});
