import { describe, expect, test } from "vitest";

import type { CompletionRequest, EnrolmentRequest } from "@holdfast/acquirer";
import { CLIENT_ID, enrolment, PAN, playBank, SECRETS, soon } from "./test/nestpay-bench.ts";
import { approvedXml, refusedXml } from "./test/scripted-bank.ts";
import { ver3Hash } from "./ver3-hash.ts";

const { bank, acquirer } = await playBank();

const html = '<html><form action="https://acs.example/"><input name="creq" value="eyJ0aHJl"></form></html>';
const page = { contentType: "text/html;charset=ISO-8859-9", body: html };
const md = "435508:AA11:3545:##990000001";

/** Enrols, and has the bank return the posted fields, as the protocol's banks do, with its own. */
async function authenticate(request: EnrolmentRequest, result: Record<string, string> = {}) {
  bank.script(page);
  const enrolled = await acquirer.enrol(request);
  if (enrolled.kind !== "challenge") throw new Error(enrolled.kind);
  const posted = [...bank.received[0]!.fields].filter(([name]) => !/^(?:pan|cv2|hash)$/.test(name));
  const verdict = { mdStatus: "1", txstatus: "Y", eci: "05", cavv: "AAAB", xid: "MDAw", md, ...result };
  const fields = [...posted.filter(([name]) => !(name in result)), ...Object.entries(verdict)];
  const returned = { fields: [...fields, ["HASH", ver3Hash(fields, SECRETS.storeKey)] as const] };
  const { reference, orderId, amountMinor, currency, operation, installmentCount } = request;
  const about = { reference, orderId, amountMinor, currency, operation, installmentCount };
  const { session } = enrolled;
  const completion: CompletionRequest = { ...about, session, returned, expiresAt: soon() };
  return { enrolled, completion };
}

describe("an enrolment", () => {
  test("posts the signed form itself, and hands on the page that comes back", async () => {
    const request = enrolment({ operation: "authorize", installmentCount: 2 });
    const { enrolled } = await authenticate(request);
    expect(enrolled).toEqual({
      kind: "challenge",
      session: expect.stringMatching(/^[\da-f]{20}$/) as string,
      challenge: { type: "html", html },
    });
    const { path, fields } = bank.received[0]!;
    expect(path).toBe("/fim/est3Dgate");
    expect(Object.fromEntries(fields)).toMatchObject({
      clientid: CLIENT_ID,
      storetype: "3d",
      TranType: "PreAuth",
      amount: "100.00",
      currency: "949",
      oid: request.orderId,
      okUrl: request.returnUrl,
      failUrl: request.returnUrl,
      lang: "tr",
      rnd: enrolled.session,
      taksit: "2",
      hashAlgorithm: "ver3",
      pan: PAN,
      cv2: "739",
      Ecom_Payment_Card_ExpDate_Month: "12",
      Ecom_Payment_Card_ExpDate_Year: "30",
      hash: ver3Hash([...fields], SECRETS.storeKey),
    });
    expect([...fields.values()].join("")).toMatch(/^[\x20-\x7e]*$/);
  });

  test("keeps neither the card nor the key in what is returned", async () => {
    const { enrolled } = await authenticate(enrolment());
    expect(JSON.stringify(enrolled)).not.toMatch(new RegExp(`${PAN}|\\b739\\b|${SECRETS.storeKey}`));
  });

  test("has another session each time", async () => {
    const sessions = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      sessions.add((await authenticate(enrolment())).enrolled.session);
    }
    expect(sessions.size).toBe(5);
  });

  test.each([
    ["XML", { contentType: "text/xml", body: approvedXml("o", "t") }],
    ["a page with the card", { ...page, body: html.replace("eyJ0aHJl", PAN) }],
    ["a page of 10 MB", { ...page, body: html + "x".repeat(10_000_000) }],
  ])("is unknown for %s", async (_, answer) => {
    bank.script(answer);
    expect(await acquirer.enrol(enrolment())).toEqual({ kind: "unknown", reason: "invalid_answer" });
  });
});

describe("a completion", () => {
  test("authorizes with the proof, for our own amount", async () => {
    const request = enrolment({ operation: "authorize", installmentCount: 2 });
    const { completion } = await authenticate(request);
    bank.script(approvedXml(request.orderId, "T1"));
    expect(await acquirer.complete(completion)).toMatchObject({
      kind: "approved",
      amountMinor: 10_000n,
      externalTransactionId: "T1",
      authentication: { transStatus: "Y", eci: "05" },
    });
    const { fields } = bank.received[0]!;
    expect(Object.fromEntries(fields)).toMatchObject({
      Type: "PreAuth",
      OrderId: request.orderId,
      Total: "100.00",
      Currency: "949",
      Taksit: "2",
      Number: md,
      PayerTxnId: "MDAw",
      PayerSecurityLevel: "05",
      PayerAuthenticationCode: "AAAB",
    });
    expect([fields.has("Expires"), fields.has("Cvv2Val")]).toEqual([false, false]);
  });

  test.each([
    [
      "2206",
      "refused",
      { kind: "declined", declineClass: "sca_required", authentication: { transStatus: "Y" } },
    ],
    // A message that repeats the proof in the card's place is dropped.
    ["2206", `bad ${md}`, { kind: "declined", resultMessage: "" }],
    // Another call of ours has used the authentication.
    ["2127", "refused", { kind: "unknown", reason: "pending" }],
  ])("that is refused with CORE-%s and the message %s", async (core, ErrMsg, outcome) => {
    const { completion } = await authenticate(enrolment());
    bank.script(refusedXml(core, { ErrMsg }));
    expect(await acquirer.complete(completion)).toMatchObject(outcome);
  });

  test("of a card without a proof of its own keeps the bank's message", async () => {
    const { completion } = await authenticate(enrolment(), { cavv: "", xid: "" });
    bank.script(refusedXml("2206", { ErrMsg: "MD status 1" }));
    expect(await acquirer.complete(completion)).toMatchObject({ resultMessage: "MD status 1" });
  });

  test("of who was not authenticated is declined, and nothing is sent", async () => {
    const { completion } = await authenticate(enrolment(), { mdStatus: "0", txstatus: "N" });
    bank.script();
    expect(await acquirer.complete(completion)).toMatchObject({ kind: "declined", resultCode: "MD-0" });
    expect(bank.received).toEqual([]);
  });

  test.each([
    ["other_order", { orderId: "another" }],
    ["other_order", { session: "another" }],
    ["other_order", { operation: "authorize" }],
    ["other_amount", { amountMinor: 10_001n }],
    ["other_amount", { currency: "USD" }],
    ["other_amount", { installmentCount: 6 }],
    ["no_signature", { returned: { fields: [] } }],
  ] as const)("of a return that is %s for %o sends nothing", async (why, difference) => {
    const { completion } = await authenticate(enrolment());
    bank.script();
    expect(await acquirer.complete({ ...completion, ...difference })).toEqual({ kind: "not_genuine", why });
    expect(bank.received).toEqual([]);
  });
});
