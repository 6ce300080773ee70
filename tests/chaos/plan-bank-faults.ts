import type { BankName, Fault } from "./faults.ts";
import { faultsOf, traitsOf } from "../support/bank-faults.ts";
import type { Random } from "./random.ts";
import type { ForeignBankName } from "./system/foreign-banks.ts";
import type { LinkFault } from "./system/tcp-proxy.ts";

/**
 * A fault of a bank with a protocol of its own. @param linkFault the fault of its link, if the link fails.
 */
export function planForeignBankFault(random: Random, bank: ForeignBankName, linkFault: LinkFault): Fault {
  const kind = random.weighted({
    bank: 10,
    business_day: 3,
    bank_link: 3,
    outage: 2,
    freeze: 2,
    unkindness: 4,
  });
  switch (kind) {
    case "outage":
    case "freeze":
      return { kind, server: bank };
    case "business_day":
      return { kind, bank };
    case "bank_link":
      return { kind, bank, fault: linkFault };
    case "unkindness":
      return planUnkindness(random, bank);
    case "bank": {
      const operation = random.weighted(OPERATIONS);
      const behaviour = random.pick(behavioursOf(bank, operation));
      return { kind, bank, operation, behaviour, times: random.integer(1, 5) };
    }
    default:
      return kind satisfies never;
  }
}

/** @returns what a bank has by turns. Its clock, its zone and its files are its own: see `drawHabits`. */
export function planUnkindness(random: Random, bank: BankName): Fault {
  const { harmlessMode } = traitsOf(bank);
  const modes = random.pick<Record<string, number | boolean>>([
    { duplicateWindowSeconds: 20 },
    { historyLagSeconds: 2 },
    { historyLagSeconds: 8 },
    ...(harmlessMode ? [harmlessMode] : []),
  ]);
  return { kind: "unkindness", bank, modes };
}

const OPERATIONS = {
  authorize: 3,
  sale: 3,
  capture: 4,
  void: 3,
  refund: 3,
  inquire: 2,
  enrol: 1,
  complete: 2,
};

/** The faults of a bank's own list. Parts are as frequent as stated, all others count once. */
function behavioursOf(bank: ForeignBankName, operation: keyof typeof OPERATIONS): [string, ...string[]] {
  const listed = faultsOf(bank, operation);
  const { answersAmounts, voidsInPanel, falseReturns } = traitsOf(bank);
  const left = new Set([
    ...LEFT_OUT,
    "partial",
    // The record shows another amount from then on, of which people decide.
    ...(answersAmounts ? [] : ["wrong_amount"]),
    ...(voidsInPanel ? [] : ["twice"]),
    // These faults leave a payment to the end of its session.
    ...(operation === "enrol" ? falseReturns : []),
  ]);
  const once = listed.filter((fault) => !left.has(fault));
  const parts = listed.includes("partial") ? (operation === "capture" ? CAPTURED_PARTS : 2) : 0;
  const again = once.includes("twice") ? SECOND_SUCCESSES - 1 : 0;
  const often = [
    ...Array.from({ length: parts }, () => "partial"),
    ...Array.from({ length: again }, () => "twice"),
  ];
  return ["hang", ...once, ...often];
}

const SECOND_SUCCESSES = 4;
/**
 * Captures in parts come as often as all other faults together, since few payments are captured. Operators
 * book the parts at the end.
 */
const CAPTURED_PARTS = 8;
/** No program can tell a correctly signed answer for another payment from the right one. */
const LEFT_OUT = ["hang", "decline", "wrong_payment_id"];
