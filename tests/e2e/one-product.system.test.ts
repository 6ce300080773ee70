// Stories that need no settings of their own, one after another at one product in real processes: starting a
// product takes longer than most of them. Each also works on its own.
import { afterAll, beforeAll, test, vi } from "vitest";
import { startProduct, type RunningSandbox } from "./running-sandbox.ts";
import { expectMerchantsApart } from "./stories/isolation.ts";
import { expectNewMerchantServed } from "./stories/new-merchant.ts";
import { expectLivesOfPayments } from "./stories/payment-life.ts";
import { expectIssuerKeptFromApproving, expectRefundsNotified } from "./stories/refunds.ts";
import { expectRulesPricesAndBins } from "./stories/rules-and-bins.ts";
import { expectPaymentsMissedAndBack } from "./stories/service-away.ts";
import { expectChallengesAnswered } from "./stories/three-ds.ts";

let product: RunningSandbox;
beforeAll(async () => {
  // The bank soon drops calls that it never answers, so that the service need not be in a hurry.
  vi.stubEnv("SIMULATOR_HANG", "1s");
  vi.stubEnv("REVERSE_UNSEEN_AFTER", "10m");
  // Operators wait for this time before they resolve a payment.
  vi.stubEnv("ACQUIRER_LATE_ARRIVAL", "5s");
  vi.stubEnv("REFUND_TWO_APPROVERS_ABOVE", "TRY:500.00");
  product = await startProduct();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await product?.cleanUp();
});

test("the life of payments through every process", () => expectLivesOfPayments(product));

test("refunds of a payment, from request to webhook, through every process", () =>
  expectRefundsNotified(product));

test("an operator who issues a credential cannot approve what is requested with it, by whatever way", () =>
  expectIssuerKeptFromApproving(product));

test("a merchant made through the operator API reserves, is declined, reads both, and is cut off when revoked", () =>
  expectNewMerchantServed(product));

test("of three merchants none can read, capture, cancel or refund what is another's, nor learn that it is there", () =>
  expectMerchantsApart(product));

test("a cardholder passes, fails and cancels the challenge; cards without one are paid at once", () =>
  expectChallengesAnswered(product));

test("payments being away is a 503 while nothing was started, and 201 again when it is back", () =>
  expectPaymentsMissedAndBack(product));

test("a merchant's rules and prices, and the BIN table, through every process", () =>
  expectRulesPricesAndBins(product));
