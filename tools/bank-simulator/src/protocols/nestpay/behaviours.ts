import { answerFaults, effectFaults, planOf, type BankTraits, type BehaviourOf } from "../../core/index.ts";
import type { MoneyRequest } from "./cc5-request.ts";
import type { NestpayOffice } from "./desk.ts";
import type { GateSession } from "./gate-sessions.ts";
import type { BankOrder } from "./ledger-line.ts";
import type { IssuerCode } from "./refusals.ts";

const everyCall = [...answerFaults, "late", "wrong_amount", "illegal_characters"] as const;
const followUp = [
  ...everyCall,
  ...effectFaults,
  "host_timeout",
  "issuer_unavailable",
  "system_error",
  "gateway_error",
  "gateway_error_before",
  "day_closes",
] as const;
const payment = [...followUp, "partial", "twice"] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: [...followUp, "partial"],
  void: followUp,
  refund: followUp,
  enrol: [...everyCall, ...effectFaults, "wrong_hash"],
  inquire: [...everyCall, "gateway_error"],
} as const;
export type BehaviourName = BehaviourOf<typeof faultTable>;

export const traits: BankTraits<(typeof faultTable.enrol)[number]> = {
  falseReturns: ["wrong_hash", "wrong_amount"],
  voidsInPanel: true,
  harmlessMode: { unsignedReturnFields: true },
};

/** The treatment of a call, with the code with which the issuer or its host declines it. */
export type Behaviour = { name: BehaviourName; issuerCode: IssuerCode | undefined };

/** The fault that is set for a call, or else its card's fault. */
export function chooseBehaviour(
  { faults }: Pick<NestpayOffice, "faults">,
  order: BankOrder | undefined,
  { operation, card }: MoneyRequest,
  session: GateSession | undefined,
): Behaviour {
  const queued = faults.take(card?.kind === "md" ? "complete" : operation);
  const { name, issuerCode } = planOf(queued, order, card?.kind === "pan" ? card : session?.form);
  return { name, issuerCode: issuerCode ?? faultCodes[name] };
}

const faultCodes: Partial<Record<BehaviourName, IssuerCode>> = {
  host_timeout: "92",
  issuer_unavailable: "91",
  system_error: "96",
};

/** Pads a text as fixed-length hosts do, with unusual characters that XML allows, and makes it long. */
export function paddedText(text: string): string {
  return `\t\u007F\u00AD${text}. ${SLIP}\u00A0\u007F\t`;
}

/** Adds characters that no XML document may have. */
export function illegalText(text: string): string {
  return `\u0000\u001B${text}\u0007\u0000\u0000`;
}

/** A text of more than 200 characters. */
const SLIP = "LUTFEN BU FISI SAKLAYINIZ. ".repeat(9).trimEnd();
