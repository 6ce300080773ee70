import {
  moneyWork,
  planOf,
  transactionDate,
  uncertaintyIn,
  type Authentication,
  type Work,
  type XmlValues,
} from "../../core/index.ts";
import { refused, type Answer } from "./answer.ts";
import { uncertainCodes } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import { judge } from "./judge.ts";
import { hostLogKeyOf, orderName, type Entry } from "./ledger-line.ts";
import type { MoneyRequest, Sent } from "./request.ts";

/** A call of a caller that the bank knows. */
export type Caller = { desk: Desk; sent: Sent; merchant: Merchant; address: string };

/** The part of 3-D Secure in a payment. */
export type Proof = {
  authentication: Authentication | undefined;
  /** The MAC of an answer with this hostlogkey. */
  sign: (hostLogKey: string) => string;
};

/** Carries out an operation with the fault that is set for it, or else its card's fault. */
export function moneyCall(of: Caller, request: MoneyRequest, proof?: Proof): Work<Answer> {
  const { desk, merchant, address } = of;
  const { modes, bank, faults } = desk;
  const order = bank.book.order(merchant.tid, orderName(request));
  const queued = faults.take(proof ? "complete" : request.operation);
  const { name: behaviour, issuerCode } = planOf(queued, order, request.card);
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const signed = (answer: Answer): Answer => {
    if (!proof || modes.macs !== "both") return answer;
    // A refusal is signed without a name, even if it has one.
    return { ...answer, mac: proof.sign(answer.approved === "0" ? "" : answer.hostLogKey) };
  };
  const refuse = (code: string) => signed(refused(code, address));
  return moneyWork(bank, behaviour, trouble, refuse, async () => {
    const call = { merchant, request, authentication: proof?.authentication, behaviour, issuerCode };
    const judged = await judge(desk, call);
    return { line: judged.line, answer: signed(answerOf(of, judged)) };
  });
}

function answerOf(of: Caller, { line, first, isOfNothing }: Awaited<ReturnType<typeof judge>>): Answer {
  const { modes, bank } = of.desk;
  const refusal = refused(line.resultCode, of.address);
  if (line.outcome === "approved") return { ...refusal, approved: "1", refusal: "", ...namesOf(of, line) };
  if (first && modes.repeats === "approved")
    return { ...refusal, approved: "1", refusal: "", ...namesOf(of, first) };
  if (first && modes.repeats === "answered") return { ...refusal, approved: "2", ...namesOf(of, first) };
  const another = hostLogKeyOf(Math.max(1, bank.book.sequence - 1));
  if (line.operation === "void" && isOfNothing && modes.unknownReverse === "approved")
    return { ...refusal, approved: "1", refusal: "", hostLogKey: another, authCode: "000000" };
  return modes.refusalsNameAnother ? { ...refusal, hostLogKey: another } : refusal;
}

/** The names of a movement, with its time where the call asks for it. It has neither amount nor currency. */
function namesOf({ desk: { modes, bank }, sent }: Caller, line: Entry) {
  const { operation, installments, transactionId, hostReference, authCode, at } = line;
  const isPayment = operation === "sale" || operation === "authorize";
  const isOfTarget = operation === "void" && modes.reverseName === "target";
  const partMinor = installments > 1 ? Math.floor(line.amountMinor / installments) : 0;
  const values: XmlValues = {
    ...(sent.isDated && {
      tranDate: transactionDate(bank.clock, Date.parse(at)).slice(2).replaceAll(/[ :]/g, ""),
    }),
    ...((isPayment || operation === "capture") && {
      instInfo: {
        inst1: installments > 1 ? String(installments).padStart(2, "0") : "00",
        amnt1: String(partMinor).padStart(12, "0"),
      },
    }),
    ...(isPayment && { pointInfo: NO_POINTS }),
  };
  return {
    hostLogKey: (isOfTarget ? transactionId : hostReference) ?? "",
    authCode: authCode ?? "",
    values,
  };
}

const NO_POINTS = Object.fromEntries(
  "point pointAmount totalPoint totalPointAmount"
    .split(" ")
    .map((name) => [name, "0".repeat(name.endsWith("Amount") ? 12 : 8)]),
);
