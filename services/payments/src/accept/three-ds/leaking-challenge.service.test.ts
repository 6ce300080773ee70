import { captureLog } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLeakingBank } from "../../../test/leaking-bank.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { CHALLENGED, threeDs, type ThreeDsSteps } from "../../../test/three-ds-harness.ts";

/** An adapter that breaks its promise: it hands on the form of a bank that wants the card in the browser's post. */
let payments: PaymentsHarness;
let steps: ThreeDsSteps;
let bank: Awaited<ReturnType<typeof startLeakingBank>>;
const leak: Parameters<typeof startLeakingBank>[1] = { now: () => undefined };
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "20ms" }, { alone: true, log: () => log });
  steps = threeDs(payments);
  bank = await startLeakingBank(payments.acquirer.url, leak);
  await payments.moveAccount(bank.url);
  await payments.startAnother();
});
afterAll(async () => {
  await payments.close();
  await bank.close();
});

const CVV = "739";
const inField =
  (value: (card: { pan: string; cvv: string }) => string): typeof leak.now =>
  (answer, card) =>
    void (answer["fields"] = { clientid: "1", field: value(card) });
const asPage =
  (html: (card: { pan: string; cvv: string }) => string): typeof leak.now =>
  (answer, card) => {
    Object.assign(answer, { outcome: "challenge_page", html: html(card), url: undefined, fields: undefined });
  };

test.each([
  ["the number in a field", inField(({ pan }) => pan)],
  ["the number in groups", inField(({ pan }) => pan.replaceAll(/(.{4})/g, "$1 "))],
  ["the number in base64", inField(({ pan }) => Buffer.from(`pan=${pan}`).toString("base64"))],
  ["the security code in a field", inField(({ cvv }) => cvv)],
  ["the number in a page", asPage(({ pan }) => `<form><input name="pan" value="${pan}"></form>`)],
  ["the security code in a page", asPage(({ cvv }) => `<form><input name="cv2" value="${cvv}"></form>`)],
  ["the number in the address", (answer, { pan }) => void (answer["url"] = `https://acs.example/?p=${pan}`)],
  ["the number in the session", (answer, { pan }) => void (answer["session"] = `s-${pan}`)],
] as [string, typeof leak.now][])(
  "with %s a challenge is neither kept nor shown, and its enrolment is reversed",
  async (where, now) => {
    leak.now = now;
    lines.splice(0);
    const idempotency = { key: "k", scope: `POST /api/3ds ${where}` };
    const sealed = payments.command({ cardData: { pan: CHALLENGED, cvv: CVV } });
    const reply = await steps.enrol({ ...steps.command(CHALLENGED), ...sealed }, { idempotency });
    expect(reply).toMatchObject({ outcome: "pending", result: { status: "ENROLLED" } });
    for (const part of ["challenge", "challengeWay"])
      expect("result" in reply && reply.result).not.toHaveProperty(part);
    expect(await steps.ended(sealed.paymentId)).toMatchObject({
      state: "FAILED",
      history: ["ENROLLING", "REVERSING", "FAILED"],
      ledger: ["reverse approved"],
      events: ["FAILED"],
    });
    expect(await steps.causes(sealed.paymentId)).toContain("challenge_carries_card");
    const [row] = await payments.query<{ session: Record<string, unknown> }>(
      "select to_jsonb(s) as session from payments.three_ds_session as s where payment_id = $1",
      [sealed.paymentId],
    );
    expect(row?.session).toMatchObject({
      challenge: null,
      acquirer_session: null,
    });
    const errors = lines.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([
      { msg: "a 3-D Secure challenge has the card in it and is not shown", paymentId: sealed.paymentId },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${CHALLENGED}|"${CVV}"`));
  },
);

test("a challenge without the card is shown", async () => {
  leak.now = inField(() => "eJxVUttygjAQ/RWG9xpyAcFZ46Cl");
  const payment = await steps.challenged();
  expect(payment.challenge.fields).toEqual({ clientid: "1", field: "eJxVUttygjAQ/RWG9xpyAcFZ46Cl" });
});
