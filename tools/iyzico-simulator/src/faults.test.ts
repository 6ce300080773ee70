import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { LedgerLine } from "./bank/ledger-line.ts";
import { startIyzicoSimulator, type IyzicoSimulator } from "./iyzico-simulator.ts";
import { card, formOf, paymentBody, sandboxKeys, Shop, submit, type Answer } from "./test/shop.ts";

let folder: string;
let bank: IyzicoSimulator;
let shop: Shop;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "iyzico-faults-"));
  nowMs = Date.parse("2030-06-15T12:00:00Z");
  bank = await startIyzicoSimulator({
    ledgerFile: join(folder, "ledger.ndjson"),
    hangMs: 50,
    latenessMs: 50,
    now: () => nowMs,
  });
  shop = new Shop(bank.url);
});
afterEach(async () => {
  await bank.close();
  await rm(folder, { recursive: true });
});

describe("a payment by card", () => {
  test.each([
    ["4000000000000119", "sale approved"],
    ["4000000000000127", ""],
    ["4000000000000051", "sale approved"],
  ])("%s is never answered, and the ledger has: %s", async (number, line) => {
    await expect(shop.post("/payment/auth", pays(number))).rejects.toThrow();
    expect(await movements()).toBe(line);
  });

  test.each(["4000000000000101", "4000000000000259"])("%s is answered late", async (number) => {
    await shop.succeed("/payment/auth", pays(number));
    expect(await movements()).toBe("sale approved");
  });

  test("4000000000000341 is approved and answered with HTTP 500", async () => {
    expect((await shop.post("/payment/auth", pays("4000000000000341"))).httpStatus).toBe(500);
    expect(await movements()).toBe("sale approved");
  });

  test("4000000000000036 is approved and answered with garbage", async () => {
    expect((await shop.post("/payment/auth", pays("4000000000000036"))).text).toBe('<html>{"status": "succ');
    expect(await movements()).toBe("sale approved");
  });

  test("4000000000000044 is approved and answered with another amount, signed", async () => {
    const { paymentId, ...answer } = await shop.succeed("/payment/auth", pays("4000000000000044"));
    const signature = hmac(`${paymentId}:TRY:basket-1:shop-pay-1:100.01:100.01`);
    expect(answer).toMatchObject({ price: 100.01, paidPrice: 100.01, signature });
    expect((await ledger())[0]?.amountMinor).toBe(10_000);
  });
});

describe("a queued fault", () => {
  const follow = { conversationId: "follow-1", ip: "203.0.113.7", currency: "TRY" };
  const calls: Record<string, (paymentId: string | undefined) => [path: string, body: object]> = {
    authorize: () => ["/payment/preauth", paymentBody()],
    sale: () => ["/payment/auth", paymentBody()],
    capture: (paymentId) => ["/payment/postauth", { ...follow, paymentId, paidPrice: "50.0" }],
    void: (paymentId) => ["/payment/cancel", { ...follow, paymentId }],
    refund: (paymentId) => ["/v2/payment/refund", { ...follow, paymentId, price: "50.0" }],
  };

  describe.each(Object.keys(calls))("of %s", (operation) => {
    let path: string;
    let body: object;
    beforeEach(async () => {
      const start = operation === "capture" ? "/payment/preauth" : "/payment/auth";
      const isFollowUp = operation !== "authorize" && operation !== "sale";
      const { paymentId } = isFollowUp ? await shop.succeed(start, paymentBody()) : {};
      [path, body] = calls[operation]?.(paymentId) ?? ["", {}];
    });

    test.each([
      ["hang", "approved"],
      ["hang_before", undefined],
      ["reset", "approved"],
    ])("%s is not answered, and the ledger has: %s", async (behaviour, outcome) => {
      await queue({ operation, behaviour });
      await expect(shop.post(path, body)).rejects.toThrow();
      expect(await outcomeOf(operation)).toBe(outcome);
    });

    test.each([
      [
        "decline",
        { authorize: "10005", sale: "10005", capture: "10005", void: "10012", refund: "10246" }[operation],
        "declined",
      ],
      ["unknown_done", "10219", "approved"],
      ["unknown_not_done", "10219", undefined],
      ["limited", "50000", undefined],
    ])("%s is answered %s, and the ledger has: %s", async (behaviour, code, outcome) => {
      await queue({ operation, behaviour });
      expect(await shop.codeOf(path, body)).toBe(code);
      expect(await outcomeOf(operation)).toBe(outcome);
      // It was queued once, so the next call is an ordinary one.
      expect((await shop.post(path, body)).body.errorCode).not.toBe(code);
    });

    test.each(["late", "late_effect"])("%s is done and answered", async (behaviour) => {
      await queue({ operation, behaviour });
      await shop.succeed(path, body);
      expect(await outcomeOf(operation)).toBe("approved");
    });

    test("http_500 and garbage are done and not understood", async () => {
      await queue({ operation, behaviour: "http_500" });
      await queue({ operation, behaviour: "garbage" });
      expect((await shop.post(path, body)).httpStatus).toBe(500);
      expect(await outcomeOf(operation)).toBe("approved");
      expect((await shop.post(path, body)).text).toContain("<html>");
    });

    test("wrong_amount answers another amount", async () => {
      await queue({ operation, behaviour: "wrong_amount" });
      const { price } = await shop.succeed(path, body);
      expect([100.01, 50.01]).toContain(price);
    });

    test("wrong_payment_id answers about another payment", async () => {
      await queue({ operation, behaviour: "wrong_payment_id" });
      const { paymentId } = await shop.succeed(path, body);
      expect(paymentId).toBe(String(Number((await ledger()).at(-1)?.paymentId) + 1));
    });

    test("control_characters pads the bank's texts", async () => {
      await queue({ operation, behaviour: "control_characters" });
      const hostReference = (await shop.succeed(path, body))["hostReference"] as string;
      expect(hostReference.slice(2, -4)).toMatch(/^\d{12}$/);
      expect([hostReference.slice(0, 2), hostReference.slice(-4)]).toEqual(["\0\u001b", "\u0007\0\0\0"]);
    });
  });

  test.each([
    ["late", 2],
    ["late_effect", 1],
  ])("%s waits with the answer, and of two payments the ledger soon has %i", async (behaviour, lines) => {
    await bank.close();
    const ledgerFile = join(folder, "ledger.ndjson");
    bank = await startIyzicoSimulator({ ledgerFile, latenessMs: 3_600_000 });
    shop = new Shop(bank.url);
    await queue({ operation: "sale", behaviour });
    const answers = [1, 2].map(() => shop.post("/payment/auth", paymentBody()).catch(() => "cut"));
    await Promise.race(answers);
    await expect.poll(async () => (await ledger()).length).toBe(lines);
    await bank.close();
    expect(await Promise.all(answers)).toContain("cut");
    bank = await startIyzicoSimulator({ ledgerFile });
    expect(await ledger()).toHaveLength(lines);
  });

  test.each(["authorize", "sale"])("partial approves half of %s", async (operation) => {
    await queue({ operation, behaviour: "partial" });
    const answer = await shop.succeed(...(calls[operation]?.(undefined) ?? ["", {}]));
    expect(answer).toMatchObject({
      price: 100,
      paidPrice: 50,
      itemTransactions: [{ paidPrice: 30 }, { paidPrice: 20 }],
    });
    expect((await ledger())[0]?.amountMinor).toBe(5_000);
  });

  test("wrong_signature is a signature of the right form", async () => {
    await queue({ operation: "sale", behaviour: "wrong_signature" });
    const { paymentId, signature } = await shop.succeed("/payment/auth", paymentBody());
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(signature).not.toBe(hmac(`${paymentId}:TRY:basket-1:shop-pay-1:100:100`));
  });

  test("of an enrolment moves nothing", async () => {
    const body = paymentBody({ callbackUrl: "https://shop.test/return" });
    await queue({ operation: "enrol", behaviour: "decline" });
    expect(await shop.codeOf("/payment/3dsecure/initialize", body)).toBe("10220");
    await queue({ operation: "enrol", behaviour: "hang_before" });
    await expect(shop.post("/payment/3dsecure/initialize", body)).rejects.toThrow();
    await queue({ operation: "enrol", behaviour: "unknown_done" });
    expect(await shop.codeOf("/payment/3dsecure/initialize", body)).toBe("10219");
    expect(await movements()).toBe("");
  });

  test("of a completion plays at the end of 3-D Secure", async () => {
    const { paymentId, threeDSHtmlContent } = await shop.succeed(
      "/payment/3dsecure/initialize",
      paymentBody({ paymentCard: card("4000000000003055"), callbackUrl: "https://shop.test/return" }),
    );
    const page = formOf(Buffer.from(String(threeDSHtmlContent), "base64").toString());
    await submit(page.action, page.fields);
    const end = {
      paymentId,
      paidPrice: "100.0",
      basketId: "basket-1",
      currency: "TRY",
      conversationId: "shop-pay-1",
    };
    await queue({ operation: "complete", behaviour: "unknown_not_done" });
    expect(await shop.codeOf("/payment/v2/3dsecure/auth", end)).toBe("10219");
    expect(await movements()).toBe("");
    await queue({ operation: "complete", behaviour: "reset" });
    await expect(shop.post("/payment/v2/3dsecure/auth", end)).rejects.toThrow();
    expect(await movements()).toBe("sale approved");
  });

  test("of an inquiry bends both kinds", async () => {
    const { paymentId = "" } = await shop.succeed("/payment/auth", paymentBody());
    const ask = () => shop.get("/v2/reporting/payment/details", { paymentId });
    await queue({ operation: "inquire", behaviour: "http_500" });
    expect((await ask()).httpStatus).toBe(500);
    await queue({ operation: "inquire", behaviour: "limited" });
    expect(await shop.codeOf("/payment/detail", { paymentId })).toBe("50000");
    await queue({ operation: "inquire", behaviour: "hang" });
    await expect(ask()).rejects.toThrow();
    expect((await ask()).body.status).toBe("success");
  });

  test("can be cleared", async () => {
    await queue({ operation: "sale", behaviour: "decline", times: 5 });
    await fetch(`${bank.url}/faults`, { method: "DELETE" });
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBeUndefined();
  });

  test.each([
    { operation: "inquire", behaviour: "decline" },
    { operation: "capture", behaviour: "partial" },
    { operation: "reverse", behaviour: "hang" },
    { operation: "sale", behaviour: "decline", times: 0 },
    {},
  ])("that does not exist is refused: %o", async (fault) => {
    const response = await fetch(`${bank.url}/faults`, { method: "POST", body: JSON.stringify(fault) });
    expect(response.status).toBe(400);
  });

  test("of a request that is refused stays in the queue", async () => {
    await queue({ operation: "sale", behaviour: "decline" });
    expect(await shop.codeOf("/payment/auth", paymentBody({ currency: "JPY" }))).toBe("11");
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBe("10005");
  });
});

describe("a mode", () => {
  test("answers failures with HTTP 400 or 200", async () => {
    const declined = pays("4129111111111111");
    expect((await shop.post("/payment/auth", declined)).httpStatus).toBe(200);
    await modes({ failureHttpStatus: 400 });
    expect((await shop.post("/payment/auth", declined)).httpStatus).toBe(400);
    expect((await shop.post("/payment/auth", paymentBody())).httpStatus).toBe(200);
  });

  test("writes amounts and types in the other way", async () => {
    await modes({ decimals: "plain", types: "swapped" });
    const { text } = await shop.post("/payment/auth", paymentBody());
    expect(text).toContain('"price":"100",');
    expect(text).toContain(`"systemTime":"${nowMs}"`);
    expect((await shop.post("/payment/auth", pays("4129111111111111"))).text).toContain('"errorCode":10005,');
  });

  test("signs wrongly or not at all", async () => {
    await modes({ answerSignatures: "wrong" });
    const { paymentId, signature } = await shop.succeed("/payment/auth", paymentBody());
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(signature).not.toBe(hmac(`${paymentId}:TRY:basket-1:shop-pay-1:100:100`));
    await modes({ answerSignatures: "missing" });
    expect(await shop.succeed("/payment/auth", paymentBody())).not.toHaveProperty("signature");
  });

  test("answers about another payment or amount, signed", async () => {
    await modes({ answers: "other_payment" });
    const { paymentId, signature } = await shop.succeed("/payment/auth", paymentBody());
    expect(paymentId).toBe(String(Number((await ledger())[0]?.paymentId) + 1));
    expect(signature).toBe(hmac(`${paymentId}:TRY:basket-1:shop-pay-1:100:100`));
    await modes({ answers: "other_amount" });
    expect(await shop.succeed("/payment/auth", paymentBody())).toMatchObject({ paidPrice: 100.01 });
  });

  test("refuses right keys, or a frozen account", async () => {
    await modes({ keys: "unknown_key" });
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBe("1001");
    await modes({ keys: "wrong_signature" });
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBe("1000");
    await modes({ keys: "right", account: "frozen" });
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBe("9000");
    expect(await movements()).toBe("");
  });

  test("limits each kind of call in a minute", async () => {
    await modes({ limitPerMinute: 2 });
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    nowMs += 30_000;
    await shop.succeed("/payment/preauth", paymentBody());
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBe("50000");
    const follow = { paymentId, ip: "203.0.113.7", currency: "TRY", price: 1 };
    await shop.succeed("/v2/payment/refund", follow);
    await shop.succeed("/payment/detail", { paymentId });
    expect(await shop.codeOf("/payment/cancel", follow)).toBe("10012");
    expect(await ledger()).toHaveLength(4);
    nowMs += 30_000;
    await shop.succeed("/payment/auth", paymentBody());
    expect(await shop.codeOf("/payment/auth", paymentBody())).toBe("50000");
    await modes({ limitPerMinute: null });
    await shop.succeed("/payment/auth", paymentBody());
  });

  test("reviews a payment", async () => {
    await modes({ fraudStatus: 0 });
    const answer = await shop.succeed("/payment/auth", paymentBody());
    expect(answer).toMatchObject({ fraudStatus: 0, itemTransactions: [{ transactionStatus: 0 }, {}] });
    expect(await movements()).toBe("sale approved");
  });

  test("decides on a payment in review, whose money stands", async () => {
    await modes({ fraudStatus: 0 });
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    for (const [reviews, fraudStatus] of [
      ["open", 0],
      ["accepted", 1],
      ["refused", -1],
    ] as const) {
      await modes({ reviews });
      expect(await shop.succeed("/payment/detail", { paymentId })).toMatchObject({
        paymentStatus: "SUCCESS",
        fraudStatus,
      });
    }
    expect(await movements()).toBe("sale approved");
    await shop.succeed("/payment/cancel", { paymentId, ip: "203.0.113.7" });
    expect(await movements()).toContain("void approved");
  });

  test("refuses a payment as a fraud, which looks like a success", async () => {
    await modes({ fraudStatus: -1 });
    const { paymentId, ...answer } = await shop.succeed("/payment/auth", paymentBody());
    expect(answer).toMatchObject({ fraudStatus: -1, itemTransactions: [{ transactionStatus: -1 }, {}] });
    expect(await movements()).toBe("sale declined");
    const detail = await shop.succeed("/payment/detail", { paymentId });
    expect(detail).toMatchObject({ paymentStatus: "FAILURE", fraudStatus: -1 });
    expect(await shop.codeOf("/payment/auth", pays("4129111111111111"))).toBe("10005");
  });

  test("fails an inquiry of a payment that was never seen", async () => {
    await modes({ unknownPayment: "failure" });
    const ask = (paymentConversationId: string) =>
      shop.get("/v2/reporting/payment/details", { paymentConversationId });
    expect((await ask("never-seen")).body).toMatchObject({ status: "failure", errorCode: "5002" });
    await shop.succeed("/payment/auth", paymentBody());
    expect((await ask("shop-pay-1")).body.status).toBe("success");
  });

  test("reports a failure as 0 or 2", async () => {
    await shop.post("/payment/auth", pays("4129111111111111"));
    const ask = () => shop.get("/v2/reporting/payment/details", { paymentConversationId: "shop-pay-1" });
    expect((await ask()).body["payments"]).toMatchObject([{ paymentStatus: 0 }]);
    await modes({ failedPaymentStatus: 2 });
    expect((await ask()).body["payments"]).toMatchObject([{ paymentStatus: 2 }]);
  });

  test("lets issuers refuse captures", async () => {
    await modes({ captures: "refused" });
    const { paymentId } = await shop.succeed("/payment/preauth", paymentBody());
    const body = { paymentId, paidPrice: "100.0", currency: "TRY", ip: "203.0.113.7" };
    expect(await shop.codeOf("/payment/postauth", body)).toBe("10005");
    await modes({ captures: "accepted", captureAmounts: "equal" });
    expect(await shop.codeOf("/payment/postauth", { ...body, paidPrice: "99.0" })).toBe("10231");
    await shop.succeed("/payment/postauth", body);
  });

  test.each([{ answers: "left" }, { unknown: true }, { limitPerMinute: 0 }, null, 7])(
    "that does not exist is refused: %o",
    async (changes) => {
      const response = await fetch(`${bank.url}/modes`, { method: "PUT", body: JSON.stringify(changes) });
      expect(response.status).toBe(400);
    },
  );

  test("that is not named stays as it is, and all are answered", async () => {
    await modes({ failureHttpStatus: 400 });
    const all = await modes({ decimals: "plain" });
    expect(all).toMatchObject({ failureHttpStatus: 400, decimals: "plain", types: "usual" });
  });
});

function pays(number: string) {
  return paymentBody({ paymentCard: card(number) });
}

async function queue(fault: object): Promise<void> {
  const response = await fetch(`${bank.url}/faults`, { method: "POST", body: JSON.stringify(fault) });
  expect(response.status).toBe(200);
}

async function modes(changes: object): Promise<Answer> {
  const response = await fetch(`${bank.url}/modes`, { method: "PUT", body: JSON.stringify(changes) });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

async function ledger(): Promise<LedgerLine[]> {
  const text = await (await fetch(`${bank.url}/ledger`)).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LedgerLine);
}

async function movements(): Promise<string> {
  return (await ledger()).map(({ operation, outcome }) => `${operation} ${outcome}`).join(", ");
}

/** The ledger's outcome of an operation; undefined where it was not done. */
async function outcomeOf(operation: string): Promise<string | undefined> {
  return (await ledger()).find((line) => line.operation === operation)?.outcome;
}

function hmac(text: string): string {
  return createHmac("sha256", sandboxKeys.secretKey).update(text).digest("hex");
}
