// Buyers pay checkouts on the public pages, over two gateways and two payments processes, and the checker judges the
// result: the page's forms, the merchant's answers, the database and the bank.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { checkoutOf } from "../checker/answers.ts";
import type { SentCheckout } from "../checker/index.ts";
import { visitCheckout, type BuyerPlan } from "./client/buyer.ts";
import { openCheckout } from "./client/check-out.ts";
import {
  putBackOnTheBus,
  startSystemUnderTest,
  takeOffTheBus,
  untilDead,
  type SystemUnderTest,
} from "./system-under-test.ts";
import { fastTimers } from "./system/timers.ts";

let sut: SystemUnderTest;

beforeAll(async () => {
  sut = await startSystemUnderTest(fastTimers);
});
afterAll(() => sut?.stop());

afterEach(() => sut.check());

const onePass: BuyerPlan = {
  tabs: 1,
  copies: 0,
  tries: [{ card: "approve_visa", cardholder: "right" }],
  hesitatesMs: 0,
  goesBack: false,
};

/** On a busy machine an outcome may be unknown at first; recovery then settles it within seconds. */
const SOON = { timeout: 60_000 };

test.each([false, true])(
  "of three tabs that send each form twice at once one pays; 3-D Secure: %s",
  async (threeDs) => {
    const card = threeDs ? "challenged" : "approve_visa";
    const checkout = await visited(
      { threeDs },
      { tabs: 3, copies: 1, tries: [{ card, cardholder: "right" }] },
    );
    await expect.poll(() => statusOf(checkout), SOON).toBe("COMPLETED");
    expect(await outcomesOf(checkout)).toEqual(["SUCCESS"]);
  },
);

test("a declined card leaves the page with a form for the next one", async () => {
  const tries: BuyerPlan["tries"] = [
    { card: "do_not_honour", cardholder: "right" },
    { card: "approve_mastercard", cardholder: "right" },
  ];
  const checkout = await visited({ transactionType: "PRE_AUTHORIZATION" }, { tries });
  await expect.poll(() => statusOf(checkout), SOON).toBe("COMPLETED");
  expect(await outcomesOf(checkout)).toEqual(["FAILED", "SUCCESS"]);
});

test.each([
  ["right", "COMPLETED", "SUCCESS"],
  ["wrong", "OPEN", "FAILED"],
  ["cancel", "OPEN", "FAILED"],
] as const)("a challenge answered %s leaves the checkout %s", async (cardholder, status, outcome) => {
  const checkout = await visited({ threeDs: true }, { tries: [{ card: "challenged", cardholder }] });
  await expect.poll(() => statusOf(checkout), SOON).toBe(status);
  expect(await outcomesOf(checkout)).toEqual([outcome]);
});

// These run in parallel, because each is a wait.
test("what runs out of time: a challenge, a form, and a checkout that nobody comes to", async () => {
  const tries: BuyerPlan["tries"] = [
    { card: "challenged", cardholder: "never" },
    { card: "approve_visa", cardholder: "right" },
  ];
  const [abandoned, late, unvisited] = await Promise.all([
    visited({ threeDs: true }, { tries }),
    visited({ isShort: true }, { hesitatesMs: 2_600 }),
    open({ isShort: true }),
  ]);
  expect(await outcomesOf(abandoned)).toEqual(["CANCELLED", "SUCCESS"]);
  await expect.poll(() => statusOf(abandoned), SOON).toBe("COMPLETED");
  expect(await outcomesOf(late)).toEqual([]);
  await expect.poll(() => statusOf(late), SOON).toBe("EXPIRED");
  await expect.poll(() => storedStateOf(unvisited), SOON).toBe("EXPIRED");
});

test("a payment begun in time decides, though the bank says what became of it when the time has run out", async () => {
  await sut.system.acquirer.queueFault({ operation: "inquire", behaviour: "http_500", times: 12 });
  const checkout = await visited(
    { isShort: true },
    { tries: [{ card: "approves_and_hangs", cardholder: "right" }] },
  );
  expect(await outcomesOf(checkout)).toEqual(["SUCCESS"]);
  await expect.poll(() => statusOf(checkout), SOON).toBe("COMPLETED");
});

test("a form sent again after its process was killed is the payment that was made", async () => {
  const [payments, other] = sut.system.payments;
  await takeOffTheBus(other);
  await payments.process.restart({ FAILPOINTS: "payments.after_checkout_payment:kill@1" });
  const visiting = visited({}, {});
  await untilDead(payments);
  await putBackOnTheBus(other);
  await payments.process.start();
  const checkout = await visiting;
  await expect.poll(() => statusOf(checkout), SOON).toBe("COMPLETED");
  expect(await outcomesOf(checkout)).toEqual(["SUCCESS"]);
});

type Terms = Partial<Pick<SentCheckout, "threeDs" | "transactionType">> & { isShort?: boolean };
type Opened = { checkoutId: string; orderId: string };

async function open({ isShort = false, ...terms }: Terms): Promise<Opened> {
  const { orderId, amount, currency } = sut.order();
  const checkout: SentCheckout = {
    orderId,
    amount,
    currency,
    transactionType: "PAYMENT",
    threeDs: false,
    // Short ones have the service's own time (CHECKOUT_EXPIRES_AFTER of the timers).
    ...(!isShort && { expiresInSeconds: 600 }),
    ...terms,
  };
  const checkoutId = await openCheckout(sut.client, checkout, { key: orderId });
  if (checkoutId === undefined) throw new Error("the checkout could not be opened");
  return { checkoutId, orderId };
}

async function visited(terms: Terms, plan: Partial<BuyerPlan>): Promise<Opened> {
  const opened = await open(terms);
  await visitCheckout(sut.buyers, opened.checkoutId, { ...onePass, ...plan });
  return opened;
}

async function statusOf({ checkoutId }: Opened): Promise<string | undefined> {
  return checkoutOf(await sut.client.getCheckout(checkoutId))?.status;
}

/** Reads the stored state: a read by the API closes a checkout that is over. */
async function storedStateOf({ checkoutId }: Opened): Promise<string | undefined> {
  return (await sut.ledgers()).checkouts.find((row) => row.checkoutId === checkoutId)?.state;
}

async function outcomesOf({ orderId }: Opened): Promise<string[]> {
  return (await sut.look(orderId)).payments.map(({ state }) => state);
}
