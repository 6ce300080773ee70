import { payCheckout, viewCheckout } from "@holdfast/contracts";
import { FAILPOINTS, type Failpoint } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { checkouts, type CheckoutSteps } from "./checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "./payments-harness.ts";

/**
 * A real process dies by SIGKILL at each step of paying a checkout, and another one continues from the
 * committed state.
 */
let payments: PaymentsHarness;
let steps: CheckoutSteps;
const hit = new Set<string>();

beforeAll(async () => {
  payments = await startPaymentsHarness(
    {
      // The first call of a cold process takes a while, and one that is late is declined for good.
      ACQUIRER_TIMEOUT: "3s",
      LEASE_DURATION: "9s",
      RECOVERY_SCHEDULE: "50ms,200ms,500ms,1s",
      RECOVERY_INTERVAL: "30ms",
      REVERSE_UNSEEN_AFTER: "800ms",
      // Only the test closes checkouts, unless it says otherwise.
      CHECKOUT_INTERVAL: "1h",
      DRAIN_TIMEOUT: "100ms",
    },
    { alone: true },
  );
  steps = checkouts(payments);
});
afterEach(() => payments.stopSpawned());
afterAll(() => payments.close());

/**
 * Opens a checkout with a process that dies at the point when `send` is called; no other process of the
 * service runs.
 */
async function killedAt(
  point: Failpoint,
  send: (checkoutId: string) => Promise<unknown>,
  env: Record<string, string> = {},
): Promise<string> {
  const doomed = await payments.spawn("payments", { ...env, FAILPOINTS: `${point}:kill@1` });
  const checkoutId = await steps.open();
  const answer = send(checkoutId);
  answer.catch(() => undefined);
  expect(await doomed.exited).toMatchObject({ signal: "SIGKILL" });
  hit.add(point);
  return checkoutId;
}

test("killed after the claim: the checkout is taken until the bank holds nothing, then another card pays", async () => {
  // The payment is not recovered before the test has looked, however long the next process takes to start.
  const lease = { LEASE_DURATION: "1h" };
  const checkoutId = await killedAt("payments.after_claim", (id) => steps.pay(id), lease);
  await payments.spawn("payments");
  expect(await steps.pay(checkoutId)).toMatchObject({
    result: { status: "OPEN", payment: { status: "ENROLLED" } },
  });
  await payments.query("update payments.payment set lease_until = now(), recover_at = now()");
  await eventually(async () => (await steps.view(checkoutId)).payment?.status === "FAILED");
  expect(await steps.pay(checkoutId)).toMatchObject({ outcome: "done", result: { status: "COMPLETED" } });
  const [first, second] = await steps.paymentsOf(checkoutId);
  expect(await payments.ledger(first!.payment_id)).toMatchObject([{ operation: "reverse" }]);
  expect(await payments.ledger(second!.payment_id)).toMatchObject([
    { operation: "sale", outcome: "approved" },
  ]);
});

test("killed after the bank approved: the payment is adopted, and no other form pays", async () => {
  const checkoutId = await killedAt("payments.after_acquirer", (id) => steps.pay(id));
  await payments.spawn("payments");
  await Promise.all(Array.from({ length: 5 }, () => steps.pay(checkoutId)));
  await eventually(async () => (await steps.view(checkoutId)).status === "COMPLETED");
  const made = await steps.paymentsOf(checkoutId);
  expect(made).toMatchObject([{ state: "SUCCESS" }]);
  expect(await payments.ledger(made[0]!.payment_id)).toMatchObject([{ operation: "sale" }]);
});

test("killed with the payment recorded: whoever asks hears that it is completed, and a copy of the form as well", async () => {
  let form: ReturnType<CheckoutSteps["form"]> | undefined;
  const checkoutId = await killedAt("payments.after_checkout_payment", (id) => {
    form = steps.form(id);
    return payments.call(payCheckout, form);
  });
  expect(await steps.storedState(checkoutId)).toBe("OPEN");
  await payments.spawn("payments");
  const completed = { outcome: "done", result: { status: "COMPLETED", payment: { status: "SUCCESS" } } };
  expect(await payments.call(payCheckout, form!)).toMatchObject(completed);
  expect(await steps.paymentsOf(checkoutId)).toHaveLength(1);
});

test("killed before it is closed: the next one who looks closes it, or a round where nobody does", async () => {
  const expired = await killedAt("payments.before_checkout_close", async (checkoutId) => {
    await steps.letExpire(checkoutId);
    await payments.askAsGateway(viewCheckout, { checkoutId });
  });
  expect(await steps.storedState(expired)).toBe("OPEN");
  await payments.spawn("payments", { CHECKOUT_INTERVAL: "50ms" });
  await eventually(async () => (await steps.storedState(expired)) === "EXPIRED");
});

test("every failpoint of checkouts was hit", () => {
  const own = FAILPOINTS.filter((point) => point.includes("checkout"));
  expect(own.filter((point) => !hit.has(point))).toEqual([]);
});
