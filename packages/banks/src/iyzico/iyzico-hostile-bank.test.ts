import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { failed, readEnvelope, type Envelope } from "./envelope.ts";
import { movementsOf, readDetails } from "./order-details.ts";
import { readGivenBack, readPayment } from "./read-payment.ts";
import {
  BUSINESS_DAY,
  CARD,
  cardRequest,
  enrolmentRequest,
  followUpRequest,
  inquiryRequest,
  reversalRequest,
} from "../test/calls.ts";
import { completionRequest, playIyzico } from "./test/iyzico-requests.ts";
import {
  detailsAnswer,
  failureAnswer,
  paymentAnswer,
  reportedPayment,
  SECRETS,
  type Answer,
} from "./test/scripted-iyzico.ts";
import { readChallenge } from "./three-ds.ts";

const { bank, acquirer } = await playIyzico();

const INVALID = { kind: "unknown", reason: "invalid_answer" };
const MISMATCH = { kind: "unknown", reason: "mismatch" };

const parent = cardRequest();
const { orderId: conversationId, reference: basketId } = parent;
const approval = paymentAnswer({ conversationId, basketId, paidPrice: "100" });
const withStatus =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify(body));

const garbage: [string, Answer][] = [
  ["HTML", "<html>maintenance</html>"],
  ["no bytes", ""],
  ["half a JSON text", JSON.stringify(approval).slice(0, 300)],
  ["two JSON texts", JSON.stringify(approval).repeat(2)],
  ["null", "null"],
  ["a list", "[]"],
  ["a number", "1"],
  ["lists in lists", "[".repeat(60_000)],
  ["objects in objects", `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`],
  ["no status", { ...approval, status: undefined }],
  ["another status", { ...approval, status: "SUCCESS" }],
  ["Latin-1", Buffer.from(JSON.stringify(failureAnswer("10005", conversationId, "İade çık")), "latin1")],
  ["UTF-16", Buffer.from(JSON.stringify(approval), "utf16le")],
  ["10 MB", `{"status":"success","pad":"${"a".repeat(10_000_000)}"}`],
  ["65 KiB of an approval", { ...approval, pad: "a".repeat(66_560) }],
  ["an approval with HTTP 500", withStatus(500, approval)],
  ["a decline with HTTP 503", withStatus(503, failureAnswer("10005", conversationId))],
  ["a failure without a code", { ...failureAnswer("1"), errorCode: undefined, conversationId }],
  ["a failure with a novel for a code", failureAnswer("9".repeat(80), conversationId)],
  ["a failure with words for a code", failureAnswer("DO_NOT_HONOUR", conversationId)],
  ["a failure of a code of no list", failureAnswer("10999", conversationId)],
  ["a decline that names no call", failureAnswer("10051")],
];

test.each(garbage)("%s is neither an approval nor a decline of anything", async (_, answer) => {
  const calls = [
    () => acquirer.sale(parent),
    () => acquirer.authorize(parent),
    () => acquirer.enrol({ ...enrolmentRequest(), orderId: conversationId }),
    () => acquirer.complete(completionRequest({ orderId: conversationId, reference: basketId })),
    () => acquirer.capture(followUpRequest(parent, { reference: conversationId })),
    () => acquirer.refund(followUpRequest(parent, { reference: conversationId })),
    () => acquirer.cancel(followUpRequest(parent, { reference: conversationId })),
    () => acquirer.reverse(reversalRequest(parent)),
    () => acquirer.inquire(inquiryRequest(parent)),
  ];
  for (const call of calls) {
    bank.answers(answer, answer);
    const outcome = await call();
    expect(["approved", "declined", "found", "not_found"], JSON.stringify(outcome)).not.toContain(
      outcome.kind,
    );
    expect(outcome).toMatchObject({ kind: "unknown" });
  }
});

describe("an approval", () => {
  const { signature: _, ...unsigned } = approval;

  test.each([
    ["without a signature", unsigned],
    ["with a novel for an authorization code", { ...approval, authCode: "1".repeat(65) }],
    ["with an empty signature", { ...approval, signature: "" }],
    ["with another amount than was signed", { ...approval, paidPrice: 10_000 }],
    ["with another payment than was signed", { ...approval, paymentId: "2" }],
    ["with another basket than was signed", { ...approval, basketId: "b" }],
    ["of a fraction of a minor unit", paymentAnswer({ conversationId, basketId, paidPrice: "100.001" })],
    ["of a negative amount", paymentAnswer({ conversationId, basketId, paidPrice: "-100" })],
    ["with a fraud status that is not known", { ...approval, fraudStatus: 7 }],
    [
      "with an id of control characters",
      paymentAnswer({ conversationId, basketId, paidPrice: "100", paymentId: "\u0000\u0007" }),
    ],
    [
      "with a novel for an id",
      paymentAnswer({ conversationId, basketId, paidPrice: "100", paymentId: "1".repeat(65) }),
    ],
  ])("%s is invalid", async (_case, answer) => {
    bank.answers(answer);
    expect(await acquirer.sale(parent)).toEqual(INVALID);
  });

  test.each([
    ["order", { conversationId: "another" }],
    ["basket", { basketId: "another" }],
  ])("that is genuine and of another %s is a mismatch", async (_case, other) => {
    bank.answers(paymentAnswer({ conversationId, basketId, paidPrice: "100", ...other }));
    expect(await acquirer.sale(parent)).toEqual(MISMATCH);
  });

  const heard = { kind: "approved", externalTransactionId: "25149157", authCode: "301221" };

  test.each([
    ["amount", { paidPrice: "10000" }],
    ["amount, less than was asked for", { paidPrice: "50", price: "100" }],
    ["sum of the basket", { price: "99" }],
    ["currency", { currency: "USD" }],
  ])("of ours in another %s is a mismatch, and keeps its name", async (_case, other) => {
    bank.answers(paymentAnswer({ conversationId, basketId, paidPrice: "100", ...other }));
    expect(await acquirer.sale(parent)).toMatchObject({ ...MISMATCH, heard });
  });

  test("of a hold is none of a sale", async () => {
    bank.answers({ ...approval, phase: "PRE_AUTH" });
    expect(await acquirer.sale(parent)).toMatchObject({ ...MISMATCH, heard });
    bank.answers({ ...approval, phase: "AUTH" });
    expect(await acquirer.authorize(parent)).toMatchObject({ ...MISMATCH, heard });
  });

  test("of another payment is none of a capture", async () => {
    const request = followUpRequest(parent, { reference: conversationId });
    const other = { conversationId, basketId, paidPrice: "100", paymentId: "25149158" };
    bank.answers(paymentAnswer(other, { phase: "POST_AUTH" }));
    expect(await acquirer.capture(request)).toEqual(MISMATCH);
  });
});

test("a decline of another call is a mismatch", async () => {
  bank.answers(failureAnswer("10051", "another"));
  expect(await acquirer.sale(parent)).toEqual(MISMATCH);
  bank.answers(failureAnswer("1001", "another"));
  expect(await acquirer.sale(parent)).toEqual(MISMATCH);
});

describe("an inquiry's answer", () => {
  const { basketId: _basket, ...withoutBasket } = reportedPayment(conversationId, basketId);
  const { phase: _phase, ...withoutPhase } = reportedPayment(conversationId, basketId);

  test.each([
    ["payments that are no list", { status: "success", payments: "test" }],
    ["no payments", { status: "success" }],
    ["a payment without our reference", detailsAnswer(withoutBasket)],
    ["a payment without a phase", detailsAnswer(withoutPhase)],
    [
      "a status that is not known",
      detailsAnswer(reportedPayment(conversationId, basketId, { paymentStatus: 9 })),
    ],
    [
      "an amount that is none",
      detailsAnswer(reportedPayment(conversationId, basketId, { paidPrice: "1,5" })),
    ],
    [
      "a refund without an amount",
      detailsAnswer(
        reportedPayment(conversationId, basketId, {
          itemTransactions: [{ refunds: [{ refundStatus: 1, currencyCode: "TRY" }] }],
        }),
      ),
    ],
  ])("with %s is invalid", async (_, answer) => {
    bank.answers(answer);
    expect(await acquirer.inquire(inquiryRequest(parent))).toEqual(INVALID);
  });

  test("about another order is a mismatch", async () => {
    bank.answers(detailsAnswer(reportedPayment("another", basketId)));
    expect(await acquirer.inquire(inquiryRequest(parent))).toEqual(MISMATCH);
  });
});

test("an answer that repeats the card's number proves nothing, and none is passed on", async () => {
  const spaced = CARD.pan.replace(/(.{4})(?=.)/g, "$1 ");
  for (const text of [CARD.pan, spaced, Buffer.from(`"${CARD.pan}"`).toString("base64")]) {
    bank.answers(failureAnswer("10051", conversationId, `card ${text} has no funds`));
    expect(await acquirer.sale(parent)).toEqual(INVALID);
    bank.answers({ ...approval, authCode: text });
    expect(await acquirer.sale(parent)).toEqual(INVALID);
  }
});

test.each([CARD.cvv, SECRETS.apiKey, SECRETS.secretKey])(
  "a message that repeats %s is not passed on",
  async (text) => {
    bank.answers(failureAnswer("10084", conversationId, `cvc ${text} is wrong`));
    expect(await acquirer.sale(parent)).toMatchObject({
      kind: "declined",
      resultMessage: "",
    });
  },
);

describe("whatever bytes come", () => {
  const expected = { conversationId, basketId, amountMinor: 10_000n, currency: "TRY" };
  const clock = { now: new Date(), businessDay: BUSINESS_DAY };

  /** Every outcome that the adapter would derive from an answer, for every kind of call. */
  function outcomesOf(bytes: Buffer): { kind: string }[] {
    const exchange = { kind: "answered", status: 200, bytes, contentType: undefined } as const;
    const envelope: Envelope = readEnvelope(exchange, { keys: [] });
    if (envelope.kind === "failure") return [failed(envelope.failure, clock)];
    if (envelope.kind !== "success") return [envelope];
    const { answer } = envelope;
    const details = readDetails(answer, conversationId);
    return [
      readPayment(answer, { ...expected, phase: "AUTH" }, SECRETS),
      readGivenBack(answer, { ...expected, conversationId: "refund", paymentId: "25149157" }),
      readChallenge(answer, { orderId: conversationId, pan: CARD.pan }, SECRETS),
      details.kind === "payments" ? movementsOf(details.payments) : details,
    ];
  }

  const judged = (outcomes: { kind: string }[]) =>
    outcomes.filter(({ kind }) => kind !== "unknown" && kind !== "not_sent");

  test("random bytes are never an outcome", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(judged(outcomesOf(Buffer.from(bytes)))).toEqual([]);
      }),
    );
  });

  test("random JSON with the protocol's field names is never an outcome", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.constant("TRY"));
    const names = ["paymentId", "currency", "basketId", "conversationId", "paidPrice", "price", "signature"];
    const fields = fc.dictionary(
      fc.constantFrom(...names, "errorCode", "threeDSHtmlContent", "phase"),
      value,
    );
    fc.assert(
      fc.property(fc.constantFrom("success", "failure"), fields, (status, { errorCode, ...given }) => {
        // A failure of another call is refused before its code is looked up.
        const answer = {
          ...given,
          status,
          ...(errorCode !== undefined && { errorCode: `none ${errorCode}` }),
        };
        expect(judged(outcomesOf(Buffer.from(JSON.stringify(answer))))).toEqual([]);
      }),
    );
  });

  test("a genuine approval of which any byte was changed is that approval or none", () => {
    const bytes = Buffer.from(JSON.stringify(approval));
    const [genuine] = outcomesOf(bytes);
    expect(genuine).toMatchObject({ kind: "approved" });
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ flip;
        for (const outcome of judged(outcomesOf(changed))) {
          expect(outcome).toMatchObject({
            kind: "approved",
            amountMinor: 10_000n,
            externalTransactionId: "25149157",
          });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
