import { randomUUIDv7 } from "node:crypto";
import { orderIdOf, type CardRequest, type FollowUpRequest, type ProbedAcquirer } from "@holdfast/acquirer";
import type { TestAccount } from "./account-file.ts";
import type { Exchange } from "./recording-proxy.ts";

/** One step of the walk: the adapter's outcome, and the bytes that passed over the wire for it. */
export type Step = { name: StepName; outcome: StepOutcome; exchanges: readonly Exchange[] };
export type StepOutcome = { kind: string; [field: string]: unknown };

export type StepName =
  | "wrong_password"
  | "inquiry_of_unseen"
  | "reversal_of_unseen"
  | "pre_authorization"
  | "inquiry_after_approval"
  | "second_call_of_the_order"
  | "capture_of_a_part"
  | "inquiry_after_capture"
  | "cancel_after_capture"
  | "inquiry_after_cancel"
  | "sale"
  | "partial_refund"
  | "inquiry_after_refund"
  | "sale_to_cancel"
  | "cancel_of_a_sale"
  | "order_used_again_after_cancel"
  | "three_ds_enrolment"
  | "inquiry_after_enrolment"
  | "reversal_of_what_is_left";

export type Bench = {
  acquirer: ProbedAcquirer;
  /** The account with a wrong password. */
  stranger: ProbedAcquirer;
  /** The exchanges so far. */
  exchanges: () => readonly Exchange[];
};

type Account = Pick<TestAccount, "currencies" | "testCard" | "amountMinor">;

/**
 * The scripted walk: every operation of the port once, and after each one an inquiry. It continues after a
 * failed step, since each answer is informative, and reverses at the end whatever is still valid.
 * @param onStep gets each step when it has ended.
 */
export async function walk(bench: Bench, account: Account, onStep: (step: Step) => void): Promise<Step[]> {
  const steps: Step[] = [];
  const step = async (name: StepName, call: () => Promise<StepOutcome>): Promise<StepOutcome> => {
    const before = bench.exchanges().length;
    const outcome = await call();
    const done = { name, outcome, exchanges: bench.exchanges().slice(before) };
    steps.push(done);
    onStep(done);
    return outcome;
  };
  const { acquirer, stranger } = bench;
  const ask = (request: CardRequest, operation: "authorize" | "sale") => () =>
    acquirer.inquire(inquiryOf(request, operation));

  await step("wrong_password", () => stranger.probe(soon()));
  const unseen = cardRequest(account);
  await step("inquiry_of_unseen", ask(unseen, "sale"));
  await step("reversal_of_unseen", () => acquirer.reverse({ ...followUp(unseen), operation: "sale" }));

  const held = cardRequest(account);
  const hold = await step("pre_authorization", () => acquirer.authorize(held));
  await step("inquiry_after_approval", ask(held, "authorize"));
  await step("second_call_of_the_order", () => acquirer.authorize(held));
  const part = (held.amountMinor * 2n) / 3n;
  const captured = { ...followUp(held, hold), amountMinor: part };
  await step("capture_of_a_part", () => acquirer.capture(captured));
  await step("inquiry_after_capture", ask(held, "authorize"));
  const { target } = captured;
  const void_ = { ...followUp(held, hold), amountMinor: part, target: { ...target, capturedMinor: part } };
  await step("cancel_after_capture", () => acquirer.cancel(void_));
  await step("inquiry_after_cancel", ask(held, "authorize"));

  const sold = cardRequest(account);
  const sale = await step("sale", () => acquirer.sale(sold));
  const refund = { ...followUp(sold, sale), amountMinor: sold.amountMinor / 3n };
  await step("partial_refund", () => acquirer.refund(refund));
  await step("inquiry_after_refund", ask(sold, "sale"));

  const voided = cardRequest(account);
  const approval = await step("sale_to_cancel", () => acquirer.sale(voided));
  await step("cancel_of_a_sale", () => acquirer.cancel(followUp(voided, approval)));
  await step("order_used_again_after_cancel", () => acquirer.sale(voided));

  const enrolled = cardRequest(account);
  const enrolment = { ...enrolled, operation: "sale" as const, returnUrl: RETURN_URL };
  await step("three_ds_enrolment", () => acquirer.enrol({ ...enrolment, sessionExpiresAt: soon() }));
  await step("inquiry_after_enrolment", ask(enrolled, "sale"));

  for (const [request, operation] of [
    [held, "authorize"],
    [sold, "sale"],
    [voided, "sale"],
  ] as const)
    await step("reversal_of_what_is_left", () => acquirer.reverse({ ...followUp(request), operation }));
  return steps;
}

/** No browser returns here: the walk has none and ends before the challenge. */
const RETURN_URL = "https://holdfast.example/3ds/return/bank-check";

/** The time that the banks' documents ask a client to wait. */
const soon = () => new Date(Date.now() + 90_000);

function cardRequest({ currencies, testCard, amountMinor }: Account): CardRequest {
  const reference = randomUUIDv7();
  return {
    reference,
    orderId: orderIdOf(reference),
    amountMinor: BigInt(amountMinor),
    currency: currencies[0]!,
    card: testCard,
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    customer: { ip: "203.0.113.7" },
    expiresAt: soon(),
  };
}

function followUp(request: CardRequest, outcome?: StepOutcome): FollowUpRequest {
  const { reference, orderId, amountMinor, currency, installmentCount } = request;
  const id = outcome?.["externalTransactionId"];
  return {
    reference: `${reference}:${randomUUIDv7()}`,
    parentReference: reference,
    orderId,
    amountMinor,
    currency,
    target: {
      amountMinor,
      installmentCount,
      at: new Date(),
      ...(typeof id === "string" && { externalTransactionId: id }),
    },
    waitUntil: soon(),
  };
}

function inquiryOf({ reference, orderId, currency }: CardRequest, operation: "authorize" | "sale") {
  return { reference, orderId, currency, kind: operation, operation, waitUntil: soon() };
}
