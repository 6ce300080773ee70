import type { BankName, Fault } from "./faults.ts";
import type { Random } from "./random.ts";
import type { ForeignBankName } from "./system/foreign-banks.ts";
import type { LinkFault } from "./system/tcp-proxy.ts";

/** A fault of a bank with a protocol of its own. @param linkFault of its link, where that is the fault. */
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
  const unsigned = bank === "nestpay" ? [{ unsignedReturnFields: true }] : [];
  const modes = random.pick<Record<string, number | boolean>>([
    { duplicateWindowSeconds: 20 },
    { historyLagSeconds: 2 },
    { historyLagSeconds: 8 },
    ...unsigned,
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
type Operation = keyof typeof OPERATIONS;
type Behaviours = readonly [string, ...string[]];

function behavioursOf(bank: ForeignBankName, operation: Operation): Behaviours {
  const { answers, effects, authorizations } = FAULTS[bank];
  if (operation === "inquire") return answers;
  if (operation === "enrol") return [...answers, "hang_before", "late_effect"];
  const isCard = operation === "authorize" || operation === "sale" || operation === "complete";
  return [...answers, ...effects, ...(isCard ? authorizations : operation === "capture" ? CAPTURES : [])];
}

/**
 * Signed answers with another payment's name are not among them: no program can tell one from the right one. Answers
 * are lost, late or spoilt; effects are left out, late or not reported; another amount is approved.
 */
const ANSWERS = [
  "hang",
  "late",
  "http_500",
  "garbage",
  "reset",
  "control_characters",
  "interim",
  "long_head",
] as const;
const EFFECTS = ["hang_before", "late_effect"] as const;
/** A part, which people book at the end. As often as all others together: few payments are captured. */
const CAPTURES = [
  "partial",
  "partial",
  "partial",
  "partial",
  "partial",
  "partial",
  "partial",
  "partial",
] as const;

const FAULTS: Record<
  ForeignBankName,
  { answers: Behaviours; effects: Behaviours; authorizations: readonly string[] }
> = {
  nestpay: {
    answers: [...ANSWERS, "illegal_characters"],
    effects: [
      ...EFFECTS,
      "host_timeout",
      "issuer_unavailable",
      "system_error",
      "gateway_error",
      "gateway_error_before",
      "day_closes",
    ],
    // Its answers have no amount, so that only the inquiry which confirms an approval shows the part.
    authorizations: ["partial", "partial"],
  },
  iyzico: {
    answers: [...ANSWERS, "limited", "wrong_signature"],
    effects: [...EFFECTS, "unknown_done", "unknown_not_done", "wrong_amount"],
    authorizations: ["partial", "partial"],
  },
};
