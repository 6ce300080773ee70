import { codeTable, type CodeClass, type VoidRefusals } from "@holdfast/acquirer/kit";

export const POSNET_CODE_LIST = {
  name: "PosNet's codes",
  source: 'the bank\'s "POSNET XML Services" 2.1.1.3, and recorded answers',
  comparedOn: "2026-11-30",
} as const;

/** The step that a code is about: one code may mean several things. */
export type Step = "payment" | "follow_up" | "void" | "three_ds" | "inquiry";

/** The meaning of a refusal. A code of no list is unknown. @param text begins with the older form of the code. */
export function classOf(step: Step, code: string, text: string): CodeClass | undefined {
  if (code === "0003") return /^\s*148\b/.test(text) ? "credentials" : undefined;
  return OF_STEP[step].get(code) ?? COMMON.get(code);
}

const COMMON = codeTable({
  // Address, numbers or clock of the caller; a merchant that is blocked.
  credentials: "0129 0146 0147 0148 0320 0321",
  // Faults of the request's form and fields, of the MAC and of rights. Nothing was carried out.
  technical:
    "0002 0150 0200 0202 0204 0207 0215 0223 0225 0180 0343 0344 0345 0346 0347 0348 0349 0350 0351 0352 0353 0354 0324 0325 0327 0600 E189 E190 E216",
  // An order that is approved or used, an issuer's time-out, and failures of the bank or on the way to it.
  undecided: "0091 0100 0124 0125 0126 0127 0302 0342 0400 0444 0450 E997 E998 E999",
});

/** Codes of the issuer. */
const OF_CARD = {
  soft: "0005 0030",
  // 0012, 0015: installments or an amount that the card cannot have. 0232: the card's count.
  hard: "0012 0014 0015 0053 0054 0057 0058 0062 0232",
  stolen: "0004 0007 0041 0043",
  limit: "0001 0051 0065",
};

const OF_STEP: Record<Step, ReadonlyMap<string, CodeClass>> = {
  // 0217 is about the order's state, which a copy of the call may have caused.
  payment: codeTable({ ...OF_CARD, undecided: "0217" }),
  three_ds: codeTable(OF_CARD),
  follow_up: codeTable({
    ...OF_CARD,
    soft: "0030",
    // More than the remainder (0005 here), more installments than the authorization, no such movement, state
    // of the order.
    technical: "0005 0122 0123 0205 0206 0211 0217 0218 0219 0229 0788 E219",
    // Not financialised yet: the bank refunds it after its day.
    day_not_ended: "0411",
  }),
  void: codeTable({ technical: "0122 0123 0211 0217 0218 0220 0229 0370 0788" }),
  inquiry: codeTable({ technical: "E219" }),
};

const codes = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** An inquiry's: the bank knows no order of this name. */
export const NOT_FOUND = "E219";

/** The movement that a refund is about is not known. */
export const NO_TARGET = codes("0122 0123 E219");

const NOTHING_LEFT = codes("0220 0370");
const SETTLED = codes("0211 0229");
/** No such movement, though the record shows it, or the state of the order: after the day's end, too. */
const UNCERTAIN = codes("0122 0123 0217");
/** There is a refund of the movement, or another movement has to be voided first. */
const ORDER_OF_THINGS = codes("0218 0788");

export const VOID_REFUSALS: VoidRefusals = {
  isNothingLeft: (code) => NOTHING_LEFT.has(code),
  isSettled: (code) => SETTLED.has(code),
  isOfRequest: (code) => COMMON.get(code) === "technical" || ORDER_OF_THINGS.has(code),
  isUncertain: (code) => UNCERTAIN.has(code),
};
