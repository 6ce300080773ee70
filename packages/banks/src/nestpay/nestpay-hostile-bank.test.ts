import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { hostileAnswers } from "../test/hostile-answers.ts";
import type { ScriptedAnswer } from "../test/scripted-server.ts";
import {
  cardCall,
  connectTo,
  enrolment,
  followUp,
  inquiryOf,
  PAN,
  playBank,
  reversal,
  SECRETS,
} from "./test/nestpay-bench.ts";
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

const orderId = "0198f3c2a4d17e5b8c6d1f2a3b4c5d6e";
const approved = approvedXml(orderId, "T1");
const declined = refusedXml("2603", { OrderId: orderId });
/** Every call, with one answer for all of its requests. */
const CALLS = {
  authorize: () => acquirer.authorize(cardCall({ orderId })),
  sale: () => acquirer.sale(cardCall({ orderId })),
  capture: () => acquirer.capture(followUp({ orderId })),
  cancel: () => acquirer.cancel(followUp({ orderId })),
  refund: () => acquirer.refund(followUp({ orderId })),
  reversal: () => acquirer.reverse(reversal({ orderId })),
  enrol: () => acquirer.enrol(enrolment({ orderId })),
  inquire: () => acquirer.inquire(inquiryOf(orderId)),
};
type Call = keyof typeof CALLS;
const calls = Object.keys(CALLS) as Call[];

async function outcomes(answer: ScriptedAnswer, of: readonly Call[] = calls) {
  const found: { kind: string; reason?: string }[] = [];
  for (const call of of) {
    bank.script(answer, answer, answer);
    found.push(await CALLS[call]());
  }
  return found;
}

describe("an answer that is none of the protocol is invalid for every call", () => {
  test.each<[string, ScriptedAnswer]>([
    ...hostileAnswers(approved),
    ["HTTP 404 without an order", { status: 404, body: emptyHistoryXml(orderId) }],
    ["an approval that the code contradicts", { body: approved.replace("00</Proc", "05</Proc") }],
    ["a refusal that the code contradicts", { body: declined.replace("99</Proc", "00</Proc") }],
    ["an approval with an error", { body: approved.replace("<ERRORCODE>", "<ERRORCODE>CORE-2507") }],
    ["an approval with an error's number", { body: approved.replace("<NUMCODE>00", "<NUMCODE>992507") }],
    ["a third result", { body: approved.replace("Approved<", "Perhaps<") }],
    ["a result in small letters", { body: approved.replace("Approved<", "approved<") }],
    ["no result", { body: answerXml({ OrderId: orderId, ProcReturnCode: "00", TransId: "T1" }) }],
    ["a result alone", { body: answerXml({ OrderId: orderId, Response: "Declined" }) }],
    ["an approval of no order", { body: approvedXml("", "T1") }],
    ["a control character", { body: approved.replace("621911", "6219\u0001") }],
  ])("%s", async (_, answer) => {
    expect(await outcomes(answer)).toEqual(calls.map(() => ({ kind: "unknown", reason: "invalid_answer" })));
  });

  test("an approval with an authorization code that no column takes", async () => {
    for (const code of ["1 2", "123456789", PAN, "ş"]) {
      bank.script(approved.replace("621911", code));
      expect(await CALLS.sale()).toEqual({ kind: "unknown", reason: "invalid_answer" });
    }
  });

  test("an approval without a name, or with one that no column takes", async () => {
    for (const name of ["", "T 1", "x".repeat(65), "ş", PAN]) {
      bank.script(approvedXml(orderId, name));
      expect(await CALLS.sale()).toEqual({ kind: "unknown", reason: "invalid_answer" });
    }
  });
});

test("an answer about another order is a mismatch, whatever it says", async () => {
  const moving = calls.filter((call) => call !== "enrol");
  for (const body of [
    approvedXml("other", "T1"),
    refusedXml("2603", { OrderId: "other" }),
    emptyHistoryXml("other"),
  ]) {
    expect(await outcomes({ body }, moving)).toEqual(
      moving.map(() => ({ kind: "unknown", reason: "mismatch" })),
    );
  }
});

test("a connection that is cut leaves every outcome unknown", async () => {
  const lost = { kind: "unknown", reason: "connection_lost" };
  expect(await outcomes({ status: 0, body: "" })).toEqual(calls.map(() => lost));
});

test("a bank that is silent leaves every outcome unknown", async () => {
  const silent = await startScriptedBank(() => new Promise<string>(() => undefined));
  const account = connectTo(silent.url);
  const expiresAt = new Date(Date.now() + 1_500);
  const lasting = { orderId, waitUntil: expiresAt };
  expect(
    await Promise.all([
      account.sale(cardCall({ orderId, expiresAt })),
      account.refund(followUp(lasting)),
      account.reverse(reversal(lasting)),
      account.inquire(inquiryOf(orderId, lasting)),
    ]),
  ).toEqual(Array.from({ length: 4 }, () => ({ kind: "unknown", reason: "timeout" })));
  await account.close();
  await silent.close();
});

test("a bad password was not sent, whichever call it is about", async () => {
  const moving = calls.filter((call) => call !== "enrol");
  const credentials = { kind: "not_sent", reason: "credentials" };
  expect(await outcomes({ body: refusedXml("2201") }, moving)).toEqual(moving.map(() => credentials));
});

describe("random bytes are never approved, declined, found or reversed", () => {
  test("as they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...calls), async (bytes, call) => {
        const contentType = call === "enrol" ? "application/octet-stream" : "text/xml";
        const [outcome] = await outcomes({ contentType, body: Buffer.from(bytes) }, [call]);
        expect(outcome).toEqual({ kind: "unknown", reason: "invalid_answer" });
      }),
    );
  });

  test("in the place of each element that decides", async () => {
    const element = fc.constantFrom("Response", "ProcReturnCode", "OrderId", "ERRORCODE", "NUMCODE");
    const text = fc.string({ unit: "grapheme-ascii", maxLength: 12 }).filter((of) => !HONEST.has(of.trim()));
    await fc.assert(
      fc.asyncProperty(element, text, fc.constantFrom("sale", "capture"), async (name, value, call) => {
        const changed = value.replace(/[<&>]/g, "");
        const body = approved.replace(new RegExp(`<${name}>[^<]*<`), () => `<${name}>${changed}<`);
        const [outcome] = await outcomes({ body }, [call]);
        const isStillHonest =
          HONEST.has(changed.trim()) ||
          (name === "ERRORCODE" && !/^(?:CORE|BM)-/.test(changed.trim())) ||
          (name === "NUMCODE" && !changed.trim().startsWith("99"));
        expect(outcome?.kind).toBe(isStillHonest && outcome?.kind === "approved" ? "approved" : "unknown");
      }),
    );
  });
});

describe("nothing that is confidential comes back", () => {
  const confidential = [PAN, "5528 7900 0000 0008", SECRETS.apiPassword, SECRETS.storeKey, "card 739 is"];
  test.each(confidential)("in the message of an approval or a refusal: %s", async (text) => {
    for (const body of [
      approved.replace("<ErrMsg>", `<ErrMsg>about ${text}`),
      declined.replace("<ErrMsg>", `<ErrMsg>about ${text}`),
    ]) {
      bank.script({ body });
      const outcome = await CALLS.sale();
      expect(outcome).toMatchObject({ resultMessage: "" });
    }
  });

  test("and a message is cut, without control characters and long numbers", async () => {
    const message = `a\tb 5555444433332222 ${"ş".repeat(300)}`;
    const body = declined.replace("refused", message);
    bank.script({ contentType: "text/xml;charset=utf-8", body });
    const outcome = await CALLS.sale();
    const resultMessage = outcome.kind === "declined" ? outcome.resultMessage : "";
    expect(resultMessage).toMatch(/^a b … ş+$/);
    expect(resultMessage).toHaveLength(200);
  });

  test("in the name of a refused movement", async () => {
    bank.script(refusedXml("2603", { TransId: PAN }));
    expect(await CALLS.sale()).not.toHaveProperty("externalTransactionId");
  });
});

test("a history with a row of garbage decides nothing, however good the others are", async () => {
  const good = historyRow("S", "C");
  bank.script(historyXml(orderId, good, "S\tC\tlots"));
  expect(await CALLS.inquire()).toEqual({ kind: "unknown", reason: "invalid_answer" });
  bank.script(historyXml(orderId, good, "S\tC\tlots"));
  expect(await CALLS.reversal()).toEqual({ kind: "unknown", reason: "invalid_answer" });
});

const HONEST: ReadonlySet<string> = new Set(["", "00", "Approved", orderId]);
