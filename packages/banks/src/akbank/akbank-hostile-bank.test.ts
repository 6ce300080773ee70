import * as fc from "fast-check";
import { expect, test } from "vitest";

import { CARD } from "../test/calls.ts";
import {
  approval,
  cardCall,
  declined,
  enrolment,
  followUp,
  history,
  inquiry,
  json,
  KEY,
  noHistory,
  ORDER,
  playBank,
  refused,
  reversal,
  transaction,
  type Scripted,
} from "./test/akbank-bench.ts";

const { acquirer, script } = await playBank();

/** Every call, with one answer for all of its requests. */
const CALLS = {
  authorize: () => acquirer.authorize(cardCall()),
  sale: () => acquirer.sale(cardCall()),
  capture: () => acquirer.capture(followUp()),
  refund: () => acquirer.refund(followUp()),
  cancel: () => acquirer.cancel(followUp()),
  reverse: () => acquirer.reverse(reversal()),
  inquire: () => acquirer.inquire(inquiry()),
  enrol: () => acquirer.enrol(enrolment()),
};
type Call = keyof typeof CALLS;
const every = Object.keys(CALLS) as Call[];
const ofApi = every.filter((call) => call !== "enrol");
const ofMoney: Call[] = ["authorize", "sale", "capture", "refund"];
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

const text = json(approval(), undefined);
test.each<[string, Scripted]>([
  ["HTTP 500", { status: 500, body: text }],
  ["HTTP 404", { status: 404, body: text }],
  ["HTTP 201", { status: 201, body: text }],
  ["HTTP 400 with an approval", { status: 400, body: text }],
  ["HTTP 400 of a proxy", { status: 400, body: "<html>Bad Request</html>" }],
  ["HTTP 401 of a proxy", { status: 401, body: "<html>Unauthorized</html>" }],
  ["HTTP 401 of another code", { status: 401, body: '{"code":403}' }],
  ["a redirect", { status: 302, body: text }],
  ["nothing", { body: "" }],
  ["a page", { contentType: "text/plain", body: "<html>maintenance</html>" }],
  ["half of an answer", { body: text.slice(0, 200) }],
  ["two answers", { body: text + text }],
  ["null", { body: "null" }],
  ["a list", { body: `[${text}]` }],
  ["10 MB", { body: text + " ".repeat(10_000_000) }],
  ["60 KB of depth", { body: "[".repeat(60_000) }],
  ["UTF-16", { body: Buffer.from(text, "utf16le") }],
  [
    "Latin letters",
    { body: Buffer.from(json(declined("05", { hostMessage: "Geçersiz" }), undefined), "latin1") },
  ],
  ["no code", approval({ responseCode: undefined })],
  ["a number for a code", approval({ responseCode: 0 })],
  ["a code of another form", approval({ responseCode: "0000" })],
  ["a host's code of another form", approval({ hostResponseCode: "000" })],
  ["a list for a transaction", approval({ transaction: [] })],
])("an answer that is none of the protocol is invalid for every call: %s", async (_, answer) => {
  expect(await outcomes(answer)).toEqual(all(invalid));
});

const other = { order: { orderId: "another" } };
test.each<[string, object]>([
  ["an approval of another order", approval(other)],
  ["a refusal of another order", declined("05", other)],
  ["another order that there is not", { ...noHistory(), ...other }],
  ["another merchant", approval({ terminal: { merchantSafeId: "0".repeat(32), terminalSafeId: "" } })],
  ["another terminal", declined("05", { terminal: { terminalSafeId: "0".repeat(32) } })],
  ["the answer to another call", approval({ txnCode: "3000" })],
])("an answer that is not about our call is a mismatch: %s", async (_, answer) => {
  expect(await outcomes(answer, ofApi)).toEqual(all(mismatch, ofApi));
});

test("stars in place of the ids are ours", async () => {
  script(approval({ terminal: { merchantSafeId: "*".repeat(32), terminalSafeId: "*".repeat(32) } }));
  expect(await CALLS.sale()).toMatchObject({ kind: "approved" });
});

test.each<[string, object, object]>([
  ["a host that contradicts", approval({ hostResponseCode: "05" }), mismatch],
  ["no order", approval({ order: undefined }), invalid],
  ["no transaction", approval({ transaction: undefined }), invalid],
  ["a number of zeros", approval({ transaction: transaction({ rrn: "0" }) }), invalid],
  ["no sequence", approval({ transaction: transaction({ stan: 0 }) }), invalid],
  ["no batch", approval({ transaction: transaction({ batchNumber: undefined }) }), invalid],
  ["a name of other characters", approval({ transaction: transaction({ rrn: "41102436023x" }) }), invalid],
  ["a code that no column takes", approval({ transaction: transaction({ authCode: CARD.pan }) }), invalid],
])("an approval that is not whole is none: %s", async (_, answer, outcome) => {
  expect(await outcomes(answer, ofMoney)).toEqual(all(outcome, ofMoney));
});

test.each(["VPS-4711", "VPS-9999", "VPS-1123"])(
  "the gateway's %s is unknown to a call of money",
  async (code) => {
    expect(await outcomes(refused(code), ofMoney)).toEqual(all(invalid, ofMoney));
  },
);

test("a key that the bank does not accept was not sent, whichever call it is about", async () => {
  const credentials = { kind: "not_sent", reason: "credentials" };
  expect(await outcomes({ status: 401, body: '{"code":401}' }, ofApi)).toEqual(all(credentials, ofApi));
});

test("a connection that is cut leaves every outcome unknown", async () => {
  expect(await outcomes({ status: 0, body: "" })).toEqual(
    all({ kind: "unknown", reason: "connection_lost" }),
  );
});

test("random bytes are never approved, declined, found or reversed", async () => {
  const each = fc.asyncProperty(
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom(200, 400, 401),
    fc.constantFrom(...every),
    async (bytes, status, call) => {
      expect(await outcomes({ status, body: Buffer.from(bytes) }, [call])).toEqual([invalid]);
    },
  );
  await fc.assert(each);
});

test.each([CARD.pan, "5528 7900 0000 0008", KEY, "card 739 is"])(
  "a message that repeats what is confidential is dropped: %s",
  async (secret) => {
    for (const answer of [approval, () => declined("05")]) {
      script({ ...answer(), hostMessage: `about ${secret}` });
      expect(await CALLS.sale()).toMatchObject({ resultMessage: "" });
    }
  },
);

test.each([
  ["another type", "1000; 1001"],
  ["a void's own row", "1000; 1003 stan=86"],
  ["an amount that is none", "1000; 1002 stan=86 amount=x"],
  ["a part of a kuruş", "1000 amount=1.001"],
  ["no amount", "1000 amount=0"],
  ["another currency's text", "1000 currencyCode=TRY"],
  ["no currency", "1000 currencyCode="],
  ["no name", "1000 rrn=0"],
  ["a name of other characters", "1000 rrn=60021234567x"],
  ["a success that the host contradicts", "1000 hostResponseCode=51"],
  ["installments that are none", "1000 installCount=x"],
  ["an authorization code that no column takes", `1000 authCode=${CARD.pan}`],
])("a record with one row that cannot be read decides nothing: %s", async (_, rows) => {
  expect(await outcomes(history(rows), ofRecord)).toEqual(all(invalid, ofRecord));
});

test.each([
  ["a sale", "1000 orderId=another"],
  ["a capture", `1004; 1005 stan=86 orgOrderId=another`],
  ["a refund", `1000; 1002 stan=86 orgOrderId= orderId=${ORDER}1`],
])("a record with a row of another order is a mismatch: %s", async (_, rows) => {
  expect(await outcomes(history(rows), ofRecord)).toEqual(all(mismatch, ofRecord));
});

test.each<[string, object]>([
  ["no order, and rows of it", { ...history("1000"), responseCode: "VPS-1123" }],
  ["a refusal that is about something else", refused("VPS-1007")],
  ["a host's refusal", declined("05")],
  ["a list that is none", history("1000", { txnDetailList: {} })],
  ["a list of numbers", history("1000", { txnDetailList: [1] })],
  ["too many rows", history("1000;".repeat(150), { txnDetailList: Array(501).fill(1) })],
])("nor does %s", async (_, answer) => {
  expect(await outcomes(answer, ofRecord)).toEqual(all(invalid, ofRecord));
});
