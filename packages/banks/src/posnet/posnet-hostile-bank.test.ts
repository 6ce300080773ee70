import * as fc from "fast-check";
import { expect, test } from "vitest";

import { CARD } from "../test/calls.ts";
import { hostileAnswers } from "../test/hostile-answers.ts";
import {
  approval,
  cardCall,
  enrolment,
  followUp,
  inquiry,
  MOVEMENT,
  names,
  noRecord,
  playBank,
  record,
  refusal,
  reversal,
  SECRETS,
  xml,
  type Scripted,
} from "./test/posnet-bench.ts";

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
const ofMoney: Call[] = ["authorize", "sale", "capture", "refund"];
const ofRecord: Call[] = ["inquire", "reverse", "cancel"];

async function outcomes(answer: Scripted, of: readonly Call[] = every) {
  const found: { kind: string; reason?: string }[] = [];
  for (const call of of) {
    script(answer, answer, answer, answer);
    found.push(await CALLS[call]());
  }
  return found;
}
const all = (outcome: object, of: readonly Call[] = every) => of.map(() => outcome);
const invalid = { kind: "unknown", reason: "invalid_answer" };

test.each<[string, Scripted]>([
  ...hostileAnswers(approval()),
  ["the page of a firewall", "<html><body>The requested URL was rejected.</body></html>"],
  ["no decision", approval().replace("<approved>1</approved>", "")],
  [
    "two decisions",
    approval().replace("<approved>1</approved>", "<approved>1</approved><approved>0</approved>"),
  ],
  ["a decision of another form", xml("3", names())],
  ["an approval with a code", xml("1", names(), "0051")],
  ["a refusal without a code", xml("0", names())],
  ["a code of another form", refusal("51")],
  ["codes that differ", refusal("0051").replace("<respCode>", "<respCode>0054</respCode><respCode>")],
  ["a code of no list", refusal("0998")],
])("%s is never an outcome", async (_, answer) => {
  expect(await outcomes(answer)).toEqual(all(invalid));
});

test.each<[string, Scripted]>([
  ["no name", xml("1", "<authCode>504289</authCode>")],
  ["a name of nothing", approval("000000000000000000")],
  ["a name of another form", approval("../../etc")],
  ["two names", approval(MOVEMENT, "<hostLogKey>2</hostLogKey>")],
  ["a long authorization code", xml("1", names(MOVEMENT, "5042895042"))],
])("an approval with %s is none", async (_, answer) => {
  expect(await outcomes(answer, ofMoney)).toEqual(all(invalid, ofMoney));
});

test("both encodings that the bank declares are read", async () => {
  const text = refusal("0051", "Yetersiz bakiye, işlem geçersiz");
  for (const encoding of ["utf-8", "latin1"] as const) {
    const body = Buffer.from(encoding === "latin1" ? text.replace("ş", "\u00fe") : text, encoding);
    script({ body });
    expect(await acquirer.sale(cardCall())).toMatchObject({
      kind: "declined",
      resultMessage: "Yetersiz bakiye, işlem geçersiz",
    });
  }
});

test("a stranger is told by every call", async () => {
  const stranger = { kind: "not_sent", reason: "credentials" };
  expect(await outcomes(refusal("0148"))).toEqual(all(stranger));
  expect(await outcomes(refusal("0003", "148 MID,TID,IP HATALI: 203.0.113.9"))).toEqual(all(stranger));
});

test("a record of anything else undoes nothing", async () => {
  for (const rows of ["Sale currencyCode=US", `Sale; Sale hostlogkey=2`])
    expect(await outcomes(record(rows), ["reverse", "cancel"])).toEqual(
      all({ kind: "unknown", reason: "mismatch" }, ["reverse", "cancel"]),
    );
  expect(await outcomes(refusal("0122"), ofRecord)).toEqual(all(invalid, ofRecord));
});

test("no answer repeats a card, its code or our key", async () => {
  for (const secret of [CARD.pan, `CVV ${CARD.cvv}`, SECRETS.encKey]) {
    script(refusal("0051", `declined for ${secret}`));
    expect(JSON.stringify(await acquirer.authorize(cardCall()), String)).not.toContain(secret);
  }
});

test("no answer, however it is broken, breaks a call", async () => {
  const honest = [approval(), record("Sale; Return hostlogkey=2"), refusal("0005"), noRecord()];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...honest),
      fc.nat({ max: 700 }),
      fc.integer({ min: 1, max: 40 }),
      fc.string({ unit: "binary", maxLength: 8 }),
      async (text, at, length, inserted) => {
        const start = at % text.length;
        const broken = text.slice(0, start) + inserted + text.slice(start + length);
        for (const { kind } of await outcomes({ body: broken }, ["sale", "inquire"]))
          expect(kind).toMatch(/^\w+$/);
      },
    ),
    { numRuns: 40 },
  );
});
