import { transition } from "../../services/payments/src/payment/payment.ts";
import { SALE } from "./bank.ts";
import type { Event } from "./explore.ts";
import { besideHeard } from "./heard-approvals.ts";
import { ask, type Ours } from "./ours.ts";
import {
  doing,
  shownBook,
  WHOLE,
  withPayment,
  type Answer,
  type Hand,
  type Scenario,
  type World,
} from "./world.ts";

/** The decisions that are used, and the story that they are used in. */
export type Setting = { ours: Ours; scenario: Scenario };
export type At<Name> = Extract<Hand, { at: Name }>;

export function askAboutSale(world: World, { ours, scenario }: Setting): Answer {
  const { payment } = world;
  const kind = scenario.type === "PAYMENT" ? "sale" : "authorize";
  const shown = ask(
    ours,
    { book: shownBook(world), account: payment.account, bank: scenario.bank },
    { ref: SALE, kind, amount: WHOLE },
  );
  return besideHeard(shown, { kind, heard: payment.heard }, ours);
}

/** An inquiry is answered; its effect comes next. */
export function asked(world: World, hand: At<"asked">): Event<World> {
  return {
    label: `the bank answers the inquiry about the ${hand.about}: ${hand.answer.kind}`,
    state: doing(world, hand),
  };
}

/** Two movements under one reference are indistinguishable: operators see them. */
export function withCase(world: World, { kind }: Answer): World {
  return kind === "mismatch" && world.payment.openCase === ""
    ? withPayment(world, { openCase: "the bank shows two movements, or another amount" })
    : world;
}

export function concludePayment(world: World, to: "SUCCESS" | "FAILED" | "CANCELLED"): World {
  const state = transition(world.payment.state, to);
  // The payment's age and the bank's earlier answers no longer matter, so states that differ only in these
  // are the same.
  const notified = [...world.payment.notified, state];
  return doing(withPayment(world, { state, age: "young", heard: "", notified }), null);
}

export function toReversing(world: World): World {
  return withPayment(world, { state: transition(world.payment.state, "REVERSING") });
}

/**
 * Marks a process that knows that the bank does not know the payment; otherwise adds nothing, so that equal
 * states stay equal.
 */
export function asUnseen(isUnseen: boolean | undefined): { isUnseen?: true } {
  return isUnseen ? { isUnseen: true } : {};
}
