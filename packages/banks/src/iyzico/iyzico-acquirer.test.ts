import { describe, expect, test, vi } from "vitest";

import { isGenuine, signedHeaders } from "./signatures.ts";
import {
  CARD,
  cardRequest,
  enrolmentRequest,
  followUpRequest,
  inquiryRequest,
  reversalRequest,
} from "../test/calls.ts";
import { completionRequest, playIyzico, returnOf } from "./test/iyzico-requests.ts";
import {
  answerTo,
  detailsAnswer,
  failureAnswer,
  paymentAnswer,
  reportedPayment,
  SECRETS,
  sign,
} from "./test/scripted-iyzico.ts";

const { bank, acquirer } = await playIyzico();

const ONE_DAY_MS = 86_400_000;
const dayBefore = () => new Date(Date.now() - ONE_DAY_MS);

describe("a payment by card", () => {
  test.each([
    ["sale", "/payment/auth", "AUTH"],
    ["authorize", "/payment/preauth", "PRE_AUTH"],
  ] as const)("%s is sent signed, and its signed answer is the approval", async (operation, path, phase) => {
    const request = cardRequest({ amountMinor: 124_990n });
    const { orderId: conversationId, reference: basketId } = request;
    bank.answers(paymentAnswer({ conversationId, basketId, paidPrice: "1249.9" }, { phase }));
    expect(await acquirer[operation](request)).toEqual({
      kind: "approved",
      amountMinor: 124_990n,
      currency: "TRY",
      externalTransactionId: "25149157",
      authCode: "301221",
      resultCode: "success",
      resultMessage: "",
      feeMinor: 33n,
      fraudReview: "accepted",
    });
    const [sent, ...more] = bank.received;
    expect(more).toEqual([]);
    expect(sent).toMatchObject({ method: "POST", path });
    const random = sent!.headers["x-iyzi-rnd"] as string;
    expect(sent!.headers).toMatchObject(signedHeaders(SECRETS, { random, path, body: sent!.body }));
    expect(sent!.fields).toMatchObject({ conversationId, basketId, price: "1249.90", paidPrice: "1249.90" });
  });

  test("is never sent twice, and two calls have two random texts", async () => {
    const unanswered = () => bank.answers((response) => response.destroy(), failureAnswer("10005"));
    unanswered();
    const request = cardRequest();
    expect(await acquirer.sale(request)).toEqual({ kind: "unknown", reason: "connection_lost" });
    expect(bank.received).toHaveLength(1);
    const first = bank.received[0]!.headers["x-iyzi-rnd"];
    unanswered();
    await acquirer.sale(request);
    expect(bank.received[0]!.headers["x-iyzi-rnd"]).not.toBe(first);
  });

  test("is unknown where no answer comes in time", async () => {
    bank.answers(() => undefined);
    const outcome = await acquirer.sale(cardRequest({ expiresAt: new Date(Date.now() + 2_000) }));
    expect(outcome).toEqual({ kind: "unknown", reason: "timeout" });
  });

  test("is read whatever types its fields have, with amounts from their source text", async () => {
    const request = cardRequest({ amountMinor: 124_990n });
    const { orderId: conversationId, reference: basketId } = request;
    const { signature } = paymentAnswer({ conversationId, basketId, paidPrice: "1249.9" });
    bank.answers(
      `{"status":"success","paymentId":25149157,"price":"1249.90","paidPrice":1249.90000000,"currency":"TRY",` +
        `"basketId":"${basketId}","conversationId":"${conversationId}","fraudStatus":"1","authCode":null,` +
        `"iyziCommissionRateAmount":0E-8,"phase":"AUTH","signature":"${signature}"}`,
    );
    expect(await acquirer.sale(request)).toEqual({
      kind: "approved",
      amountMinor: 124_990n,
      currency: "TRY",
      externalTransactionId: "25149157",
      authCode: "",
      resultCode: "success",
      resultMessage: "",
      feeMinor: 0n,
      fraudReview: "accepted",
    });
    bank.answers({ ...failureAnswer("1", conversationId), errorCode: 10_051 });
    expect(await acquirer.sale(request)).toMatchObject({ kind: "declined", resultCode: "10051" });
  });

  test("without fees has none, and a code loses the space around it", async () => {
    const request = cardRequest();
    const noFees = { iyziCommissionFee: undefined, iyziCommissionRateAmount: undefined };
    bank.answers(answerTo(request, {}, { ...noFees, authCode: " 301221\u0000 " }));
    const outcome = await acquirer.sale(request);
    expect(outcome).toMatchObject({ kind: "approved", authCode: "301221" });
    expect(outcome).not.toHaveProperty("feeMinor");
  });

  test("in review is an approval that says so", async () => {
    const request = cardRequest();
    bank.answers(answerTo(request, {}, { fraudStatus: 0 }));
    expect(await acquirer.sale(request)).toMatchObject({ kind: "approved", fraudReview: "in_review" });
  });

  test("that the fraud desk refused waits for what an inquiry says", async () => {
    const request = cardRequest();
    bank.answers(answerTo(request, {}, { fraudStatus: -1 }));
    expect(await acquirer.sale(request)).toMatchObject({
      kind: "unknown",
      reason: "pending",
      heard: { kind: "approved", externalTransactionId: "25149157", authCode: "301221" },
    });
  });

  test("in a currency that iyzico does not take is not sent", async () => {
    bank.answers();
    const yen = { currency: "JPY" };
    const unsupported = { kind: "not_sent", reason: "unsupported" };
    expect(await acquirer.sale(cardRequest(yen))).toEqual(unsupported);
    expect(await acquirer.enrol(enrolmentRequest(yen))).toEqual(unsupported);
    expect(bank.received).toEqual([]);
  });

  test("that is declined has the bank's code and its class", async () => {
    const request = cardRequest();
    bank.answers(failureAnswer("10051", request.orderId, "Kart limiti yetersiz\u0007"));
    expect(await acquirer.sale(request)).toEqual({
      kind: "declined",
      declineClass: "limit",
      resultCode: "10051",
      resultMessage: "Kart limiti yetersiz",
    });
  });

  test("that is refused with HTTP 400 is read like any other", async () => {
    const request = cardRequest();
    bank.answers((response) =>
      response.writeHead(400).end(JSON.stringify(failureAnswer("10005", request.orderId))),
    );
    expect(await acquirer.sale(request)).toMatchObject({ kind: "declined", resultCode: "10005" });
  });

  test.each([
    ["1000", { kind: "not_sent", reason: "credentials" }],
    ["1001", { kind: "not_sent", reason: "credentials" }],
    ["9000", { kind: "not_sent", reason: "credentials" }],
    ["50000", { kind: "not_sent", reason: "limit", notBefore: expect.any(Date) as Date }],
  ])("is not sent where the account is refused with %s", async (code, outcome) => {
    bank.answers(failureAnswer(code));
    expect(await acquirer.sale(cardRequest())).toEqual(outcome);
  });
});

describe("3-D Secure", () => {
  const page = '<html><body><form action="https://acs.example/creq"></form></body></html>';
  const initialized = (conversationId: string, html: string) => ({
    status: "success",
    paymentId: "25149157",
    conversationId,
    threeDSHtmlContent: Buffer.from(html).toString("base64"),
    signature: sign("25149157", conversationId),
  });

  test.each([
    ["sale", "/payment/3dsecure/initialize"],
    ["authorize", "/payment/3dsecure/initialize/preauth"],
  ] as const)("of %s begins with iyzico's own page", async (operation, path) => {
    const request = enrolmentRequest({ operation });
    bank.answers(initialized(request.orderId, page));
    expect(await acquirer.enrol(request)).toEqual({
      kind: "challenge",
      session: "25149157",
      challenge: { type: "html", html: page },
    });
    expect(bank.received).toMatchObject([{ path, fields: { callbackUrl: request.returnUrl } }]);
  });

  test.each([
    ["with the card's number", `<html>${CARD.pan}</html>`],
    ["with the card's number in Base64", `<html>${Buffer.from(`"${CARD.pan}"`).toString("base64")}</html>`],
    ["that is no page", "see other"],
    ["with a U+0000", "<html>\0</html>"],
  ])("shows no page %s", async (_, html) => {
    const request = enrolmentRequest();
    bank.answers(initialized(request.orderId, html));
    expect(await acquirer.enrol(request)).toEqual({ kind: "unknown", reason: "invalid_answer" });
  });

  test("shows no page that is not UTF-8, of another order, or not signed", async () => {
    const request = enrolmentRequest();
    const good = initialized(request.orderId, page);
    const latin = Buffer.from("<html>\xe7</html>", "latin1").toString("base64");
    bank.answers({ ...good, threeDSHtmlContent: latin });
    expect(await acquirer.enrol(request)).toEqual({ kind: "unknown", reason: "invalid_answer" });
    bank.answers({ ...good, signature: sign("25149158", request.orderId) });
    expect(await acquirer.enrol(request)).toEqual({ kind: "unknown", reason: "invalid_answer" });
    bank.answers(initialized("another", page));
    expect(await acquirer.enrol(request)).toEqual({ kind: "unknown", reason: "mismatch" });
  });

  test.each([
    ["sale", "AUTH"],
    ["authorize", "PRE_AUTH"],
  ] as const)("of %s is completed with the amount and basket of its beginning", async (operation, phase) => {
    const request = completionRequest({ operation });
    bank.answers(answerTo(request, {}, { phase, mdStatus: 1 }));
    expect(await acquirer.complete(request)).toMatchObject({
      kind: "approved",
      externalTransactionId: "25149157",
      authentication: { transStatus: "Y" },
    });
    expect(bank.received).toMatchObject([
      {
        path: "/payment/v2/3dsecure/auth",
        fields: {
          paymentId: "25149157",
          conversationId: request.orderId,
          basketId: request.reference,
          paidPrice: "100.00",
          currency: "TRY",
        },
      },
    ]);
  });

  test("that is declined says that the cardholder was authenticated", async () => {
    const request = completionRequest();
    bank.answers(failureAnswer("10005", request.orderId));
    expect(await acquirer.complete(request)).toMatchObject({
      kind: "declined",
      authentication: { transStatus: "Y" },
    });
  });

  test("is never completed with another payment's answer", async () => {
    const request = completionRequest();
    bank.answers(answerTo(request, { paymentId: "25149158" }));
    expect(await acquirer.complete(request)).toEqual({ kind: "unknown", reason: "mismatch" });
  });

  test("sends nothing for a return that proves nothing", async () => {
    bank.answers();
    const request = completionRequest();
    const genuine = request.returned!.fields;
    const forged = {
      fields: genuine.map(([name, value]) => [name, name === "mdStatus" ? "0" : value] as const),
    };
    const other = returnOf({ conversationId: completionRequest().orderId });
    expect(await acquirer.complete({ ...request, returned: forged })).toEqual({
      kind: "not_genuine",
      why: "signature",
    });
    expect(await acquirer.complete({ ...request, returned: other })).toEqual({
      kind: "not_genuine",
      why: "other_order",
    });
    const { returned: _, ...without } = request;
    expect(await acquirer.complete(without)).toEqual({ kind: "not_genuine", why: "no_signature" });
    expect(bank.received).toEqual([]);
  });
});

describe("a follow-up", () => {
  test("capture names the payment, and its answer the authorization's basket", async () => {
    const parent = cardRequest();
    const request = followUpRequest(parent, { amountMinor: 6_000n, requestIp: "198.51.100.4" });
    const { reference: conversationId } = request;
    const captured = { conversationId, basketId: parent.reference, paidPrice: "60", price: "100" };
    bank.answers(paymentAnswer(captured, { phase: "POST_AUTH" }));
    expect(await acquirer.capture(request)).toMatchObject({ kind: "approved", amountMinor: 6_000n });
    const { paymentId, ip } = { paymentId: "25149157", ip: "198.51.100.4" };
    expect(bank.received).toMatchObject([
      { path: "/payment/postauth", fields: { conversationId, paymentId, ip, paidPrice: "60.00" } },
    ]);
  });

  const givenBack = (conversationId: string, price: string, more = {}) => ({
    status: "success",
    paymentId: "25149157",
    conversationId,
    price,
    currency: "TRY",
    authCode: "301221",
    ...more,
  });

  describe("refund", () => {
    const parent = cardRequest();
    const request = followUpRequest(parent, { amountMinor: 2_550n });
    const approval = givenBack(request.reference, "25.50000000", { refundHostReference: "rfn-2" });
    const part = (refundConversationId: string | undefined, refundPrice: number, more = {}) => ({
      refundConversationId,
      refundPrice,
      currencyCode: "TRY",
      refundStatus: "1",
      ...more,
    });
    const record = (...refunds: readonly object[]) =>
      detailsAnswer(
        reportedPayment(parent.orderId, parent.reference, {
          itemTransactions: refunds.map((each) => ({ refunds: [each] })),
        }),
      );
    const approved = { kind: "approved", amountMinor: 2_550n, currency: "TRY" };
    const pending = { kind: "unknown", reason: "pending" };
    const heard = { ...approved, externalTransactionId: "rfn-2" };

    test("is of an amount, and is confirmed by reporting", async () => {
      bank.answers(approval, record(part(request.reference, 25.5, { hostReference: "rfn-2" })));
      expect(await acquirer.refund(request)).toMatchObject(heard);
      expect(bank.received).toMatchObject([
        {
          path: "/v2/payment/refund",
          fields: { paymentId: "25149157", price: "25.50", currency: "TRY", ip: "203.0.113.1" },
        },
        { path: "/v2/reporting/payment/details" },
      ]);
    });

    test.each([
      ["another name than its answer", [{ hostReference: "rfn-9" }, {}], "rfn-9"],
      ["no name but reporting's own", [{ refundTxId: "31" }, { refundTxId: "32" }], "31"],
      ["no name at all", [{}, {}], ""],
    ])("has the name that reporting gives it: %s", async (_, [first, second], externalTransactionId) => {
      bank.answers(
        approval,
        record(part(request.reference, 20, first), part(request.reference, 5.5, second)),
      );
      expect(await acquirer.refund(request)).toMatchObject({ ...approved, externalTransactionId });
    });

    test.each([
      ["shows nothing of", record()],
      ["shows a part of", record(part(request.reference, 20))],
      ["shows as not done", record(part(request.reference, 25.5, { refundStatus: "0" }))],
      ["shows without a reference", record(part(undefined, 25.5))],
      ["shows beside one of another amount", record(part("another", 20))],
      ["cannot be read about", failureAnswer("1")],
    ])("that reporting %s is unknown, and not forgotten", async (_, answer) => {
      bank.answers(approval, answer);
      expect(await acquirer.refund(request)).toMatchObject({ ...pending, heard });
    });

    test("that may be the answer to an equal one is unknown, and forgotten", async () => {
      bank.answers(approval, record(part("another", 25.5, { hostReference: "rfn-2" })));
      expect(await acquirer.refund(request)).toEqual(pending);
    });
  });

  test("cancel whose answer names the payment only has no name of its own", async () => {
    const request = followUpRequest(cardRequest());
    bank.answers(givenBack(request.reference, "100", { hostReference: "rfn-1" }));
    expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved", externalTransactionId: "" });
  });

  test("cancel names the payment by iyzico's id", async () => {
    const request = followUpRequest(cardRequest());
    bank.answers(givenBack(request.reference, "100", { cancelHostReference: "rfn-3" }));
    expect(await acquirer.cancel(request)).toMatchObject({
      kind: "approved",
      amountMinor: 10_000n,
      externalTransactionId: "rfn-3",
    });
    expect(bank.received).toMatchObject([{ path: "/payment/cancel", fields: { paymentId: "25149157" } }]);
  });

  test.each([
    ["price", { price: "99.99" }],
    ["currency", { currency: "EUR" }],
  ])("that was carried out in another %s is a mismatch, and not forgotten", async (_, other) => {
    const request = followUpRequest(cardRequest());
    for (const operation of ["refund", "cancel"] as const) {
      bank.answers(givenBack(request.reference, "100", other));
      const outcome = await acquirer[operation](request);
      expect(outcome).toMatchObject({ kind: "unknown", reason: "mismatch", heard: { kind: "approved" } });
    }
  });

  test.each([
    ["payment", { paymentId: "25149158" }],
    ["call", { conversationId: "another" }],
  ])("that answers for another %s is a mismatch", async (_, other) => {
    const request = followUpRequest(cardRequest());
    for (const operation of ["refund", "cancel"] as const) {
      bank.answers(givenBack(request.reference, "100", other));
      expect(await acquirer[operation](request)).toEqual({ kind: "unknown", reason: "mismatch" });
    }
  });

  test("refund that has to wait for the day's end says until when", async () => {
    const request = followUpRequest(cardRequest());
    bank.answers(failureAnswer("10223", request.reference));
    const outcome = await acquirer.refund(request);
    expect(outcome).toMatchObject({ kind: "not_sent", reason: "day_not_ended" });
    const { notBefore } = outcome as { notBefore: Date };
    expect(notBefore.getTime()).toBeGreaterThan(Date.now());
    expect(notBefore.toISOString()).toMatch(/T20:00:00.000Z$/);
  });

  test("cancel of which iyzico says that the day has ended is declined, and waits for no other day", async () => {
    const parent = cardRequest();
    const { amountMinor } = parent;
    const sale = { externalTransactionId: "25149157", amountMinor, at: new Date() };
    for (const target of [sale, { ...sale, at: dayBefore(), capturedMinor: amountMinor }]) {
      const request = followUpRequest(parent, { target });
      bank.answers(failureAnswer("10223", request.reference));
      expect(await acquirer.cancel(request)).toMatchObject({
        kind: "declined",
        declineClass: "technical",
        resultCode: "10223",
      });
    }
  });

  test("whose payment nobody can name asks for it first", async () => {
    const parent = cardRequest();
    const target = { amountMinor: parent.amountMinor, at: new Date() };
    const request = followUpRequest(parent, { target });
    bank.answers(
      detailsAnswer(reportedPayment(parent.orderId, parent.reference, { paymentId: "777" })),
      givenBack(request.reference, "100", { paymentId: "777" }),
    );
    expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved" });
    expect(bank.received.map(({ path }) => path)).toEqual([
      "/v2/reporting/payment/details",
      "/payment/cancel",
    ]);
    for (const answer of [
      detailsAnswer(),
      failureAnswer("1"),
      detailsAnswer(
        reportedPayment(parent.orderId, parent.reference),
        reportedPayment(parent.orderId, parent.reference, { paymentId: "2" }),
      ),
    ]) {
      bank.answers(answer);
      expect(await acquirer.cancel(request)).toEqual({ kind: "not_sent" });
      expect(bank.received).toHaveLength(1);
    }
    bank.answers(failureAnswer("1001"));
    expect(await acquirer.capture(request)).toEqual({ kind: "not_sent", reason: "credentials" });
  });

  describe("cancel", () => {
    const parent = cardRequest();
    const sale = { externalTransactionId: "25149157", amountMinor: parent.amountMinor };
    const reported = (more?: Record<string, unknown>) =>
      detailsAnswer(reportedPayment(parent.orderId, parent.reference, more));
    const cancels = [{ refundPrice: 100, currencyCode: "TRY", refundStatus: "1" }];

    test.each([
      ["a sale on its day", "5093", { at: new Date() }],
      ["a capture", "5093", { at: dayBefore(), capturedMinor: 10_000n }],
      ["a sale on its day, by a failed system,", "10219", { at: new Date() }],
    ])("%s is unknown by a code that no list names", async (_, code, target) => {
      const request = followUpRequest(parent, { target: { ...sale, ...target } });
      bank.answers(failureAnswer(code, request.reference));
      expect(await acquirer.cancel(request)).toEqual({ kind: "unknown", reason: "invalid_answer" });
      expect(bank.received).toMatchObject([{ path: "/payment/cancel" }]);
    });

    describe("of a hold", () => {
      const hold = { ...sale, at: dayBefore(), capturedMinor: 0n };
      const request = followUpRequest(parent, { target: hold });
      const shown = (phase: string, paymentId = "25149157") =>
        reportedPayment(parent.orderId, parent.reference, { phase, paymentId });

      test("is sent on a later day, too, where the record shows it", async () => {
        bank.answers(
          detailsAnswer(shown("PRE_AUTH"), shown("POST_AUTH", "25149158")),
          givenBack(request.reference, "100"),
        );
        expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved", amountMinor: 10_000n });
        expect(bank.received).toMatchObject([
          { path: "/v2/reporting/payment/details" },
          { path: "/payment/cancel", fields: { paymentId: "25149157" } },
        ]);
      });

      test.each([
        ["was captured in the panel", [shown("POST_AUTH")], { kind: "declined", resultCode: "CAPTURED" }],
        [
          "was cancelled in the panel",
          [{ ...shown("PRE_AUTH"), cancels }],
          { kind: "approved", amountMinor: 10_000n },
        ],
        ["is not shown yet", [], { kind: "unknown", reason: "pending" }],
      ])("that %s is not sent", async (_, payments, outcome) => {
        bank.answers(detailsAnswer(...payments));
        expect(await acquirer.cancel(request)).toMatchObject(outcome);
        expect(bank.received).toHaveLength(1);
      });
    });

    test("sent on its day and answered after it by a code that no list names is unknown", async () => {
      const request = followUpRequest(parent, { target: { ...sale, at: new Date() } });
      // The clock passes the cut-off while the bank has the call.
      bank.answers((response) => {
        vi.setSystemTime(Date.now() + 24 * 3_600_000);
        response.end(JSON.stringify(failureAnswer("99999", request.reference)));
      });
      vi.useFakeTimers({ toFake: ["Date"] });
      const outcome = await acquirer.cancel(request);
      vi.useRealTimers();
      expect(outcome).toEqual({ kind: "unknown", reason: "invalid_answer" });
    });

    test("after its day is decided by iyzico's record, and not sent", async () => {
      const request = followUpRequest(parent, { target: { ...sale, at: dayBefore() } });
      bank.answers(reported());
      expect(await acquirer.cancel(request)).toMatchObject({
        kind: "declined",
        resultCode: "not_cancellable",
      });
      bank.answers(reported({ cancels }));
      expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved", amountMinor: 10_000n });
      for (const [nothing, reason] of [
        [detailsAnswer(), "pending"],
        [failureAnswer("99999"), "invalid_answer"],
      ] as const) {
        bank.answers(nothing);
        expect(await acquirer.cancel(request)).toEqual({ kind: "unknown", reason });
        expect(bank.received).toMatchObject([{ path: "/v2/reporting/payment/details" }]);
      }
    });
  });
});

describe("a reversal", () => {
  const cancelled = (conversationId: string) => ({
    status: "success",
    paymentId: "25149157",
    conversationId,
    price: 100,
    currency: "TRY",
  });

  test("cancels the payment that the inquiry shows, by iyzico's id", async () => {
    const parent = cardRequest();
    bank.answers(
      detailsAnswer(reportedPayment(parent.orderId, parent.reference)),
      cancelled(`${parent.reference}:reverse`),
    );
    expect(await acquirer.reverse(reversalRequest(parent))).toEqual({ kind: "reversed" });
    expect(bank.received).toMatchObject([
      { method: "GET", path: "/v2/reporting/payment/details" },
      { path: "/payment/cancel", fields: { paymentId: "25149157" } },
    ]);
    expect(bank.received[0]!.query.get("paymentConversationId")).toBe(parent.orderId);
  });

  test("of what iyzico does not know has found nothing, and sends no cancel", async () => {
    bank.answers(detailsAnswer());
    expect(await acquirer.reverse(reversalRequest(cardRequest()))).toEqual({ kind: "nothing_found" });
    expect(bank.received).toHaveLength(1);
  });

  describe("by its id of what iyzico has named and its record does not show", () => {
    const parent = cardRequest();
    const target = { amountMinor: parent.amountMinor, at: new Date(), externalTransactionId: "25149157" };
    const request = reversalRequest(parent, { target });
    const cancels = [{ refundPrice: 100, currencyCode: "TRY", refundStatus: "1" }];
    const shown = (more: object) =>
      detailsAnswer(reportedPayment(parent.orderId, parent.reference, { ...more }));

    test.each([
      ["shows nothing: it may hide a second success", detailsAnswer(), { kind: "reversed", isHidden: true }],
      ["cannot be read", failureAnswer("1"), { kind: "reversed", isHidden: true }],
      ["shows the cancel", shown({ cancels }), { kind: "reversed" }],
      ["shows a second success", shown({ paymentId: "25149158" }), { kind: "unknown", reason: "pending" }],
    ])("cancels it, and afterwards the record %s", async (_, afterwards, outcome) => {
      bank.answers(detailsAnswer(), cancelled(`${parent.reference}:reverse`), afterwards);
      expect(await acquirer.reverse(request)).toEqual(outcome);
      expect(bank.received).toMatchObject([
        { path: "/v2/reporting/payment/details" },
        { path: "/payment/cancel", fields: { paymentId: "25149157" } },
        { path: "/v2/reporting/payment/details" },
      ]);
    });

    test("has found nothing where iyzico declines it", async () => {
      bank.answers(detailsAnswer(), failureAnswer("10246", `${parent.reference}:reverse`));
      expect(await acquirer.reverse(request)).toEqual({ kind: "nothing_found" });
    });
  });

  test.each([
    ["10223", { kind: "settled", resultCode: "10223", resultMessage: "refused" }],
    ["10246", { kind: "refused", resultCode: "10246", resultMessage: "refused" }],
    ["10219", { kind: "unknown", reason: "invalid_answer" }],
    ["5093", { kind: "unknown", reason: "invalid_answer" }],
    ["1001", { kind: "not_sent", reason: "credentials" }],
  ])("that iyzico refuses with %s is %o", async (code, outcome) => {
    const parent = cardRequest();
    bank.answers(
      detailsAnswer(reportedPayment(parent.orderId, parent.reference)),
      failureAnswer(code, `${parent.reference}:reverse`),
    );
    expect(await acquirer.reverse(reversalRequest(parent))).toEqual(outcome);
  });

  test("is unknown where the inquiry or the cancel is", async () => {
    const parent = cardRequest();
    bank.answers(failureAnswer("10999"));
    expect(await acquirer.reverse(reversalRequest(parent))).toMatchObject({ kind: "unknown" });
    bank.answers(detailsAnswer(reportedPayment(parent.orderId, parent.reference)), cancelled("another"));
    expect(await acquirer.reverse(reversalRequest(parent))).toEqual({ kind: "unknown", reason: "mismatch" });
  });
});

describe("an inquiry", () => {
  test("asks by the order and takes an empty list for an unknown order", async () => {
    const request = cardRequest();
    bank.answers(detailsAnswer());
    expect(await acquirer.inquire(inquiryRequest(request))).toEqual({ kind: "not_found" });
    const [sent] = bank.received;
    expect(sent).toMatchObject({ method: "GET", path: "/v2/reporting/payment/details", body: "" });
    const random = sent!.headers["x-iyzi-rnd"] as string;
    expect(sent!.headers["authorization"]).toBe(
      signedHeaders(SECRETS, { random, path: sent!.path, body: "" })["authorization"],
    );
  });

  test.each(["1", "10051", "11", "99999"])("takes the failure %s for no knowledge", async (code) => {
    const request = cardRequest();
    bank.answers(failureAnswer(code, request.orderId));
    expect(await acquirer.inquire(inquiryRequest(request))).toEqual({
      kind: "unknown",
      reason: "invalid_answer",
    });
  });

  test("with a wrong key is not sent, and not an unknown order", async () => {
    bank.answers(failureAnswer("1001"));
    const outcome = await acquirer.inquire(inquiryRequest(cardRequest()));
    expect(outcome).toEqual({ kind: "not_sent", reason: "credentials" });
  });
});

describe("a probe", () => {
  const soon = () => new Date(Date.now() + 60_000);

  test("tells right keys, wrong keys and a bank that is not there, and moves nothing", async () => {
    bank.answers({ status: "success", binNumber: "55287900" });
    expect(await acquirer.probe(soon())).toEqual({ kind: "ok" });
    expect(bank.received).toMatchObject([{ method: "POST", path: "/payment/bin/check" }]);
    bank.answers(failureAnswer("5006"));
    expect(await acquirer.probe(soon())).toEqual({ kind: "ok" });
    bank.answers(failureAnswer("1000"));
    expect(await acquirer.probe(soon())).toMatchObject({ kind: "credentials" });
    bank.answers("<html>maintenance</html>");
    expect(await acquirer.probe(soon())).toMatchObject({ kind: "unreachable" });
  });
});

test("the scripted answers are signed as iyzico's are", () => {
  const answer = paymentAnswer({ conversationId: "c", basketId: "b", paidPrice: "1.5" });
  expect(isGenuine("payment", { ...answer, paidPrice: "1.50", price: "1.5" }, SECRETS)).toBe(true);
});
