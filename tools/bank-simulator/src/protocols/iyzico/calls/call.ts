import type { z } from "zod";

import type { Office } from "../../../core/index.ts";
import { failure, type Outcome } from "../answer.ts";
import type { BehaviourName, Circumstances, FaultOperation, Table } from "../behaviour.ts";
import type { Merchant } from "../config.ts";
import type { Entry, Event } from "../ledger-line.ts";
import type { Modes } from "../modes.ts";
import type { Notice } from "../notifications.ts";
import { seenBy, type Payment, type Payments } from "../payments.ts";
import type { EndedDays } from "../settlement.ts";
import type { ErrorCode } from "../wire/error-codes.ts";

export type IyzicoOffice = Office<Entry, Event, Table, Modes>;

/** The parts that the calls of the API use. */
export type Desk = IyzicoOffice & { payments: Payments; days: EndedDays };

/** The caller, and the address at which browsers reach this process for it (a URL without a slash at the end). */
export type Caller = { merchant: Merchant; publicUrl: string };

/**
 * A call's outcome, and its traces: a line of the ledger or an event beside it, and the merchant's
 * notification.
 */
export type Judged = {
  outcome: Outcome;
  line?: Entry | undefined;
  again?: Entry | undefined;
  event?: Event | undefined;
  notice?: Notice | undefined;
};

type Definition<Request> = {
  /** The group of its rate limit (iyzico protocol, idempotency, time-outs, limits); absent if it has none. */
  group?: "payments" | "retrieve" | "refunds" | "cancels";
  /** Its name in `POST /faults`; absent if it has no faults. */
  fault?: FaultOperation;
  schema: z.ZodType<Request>;
  /** The treatment that the card's number asks for. */
  behaviour?: (desk: Desk, caller: Caller, request: Request) => BehaviourName;
  /** Judges the call without an `await`; `nowMs` is the bank's time. */
  judge: (
    desk: Desk,
    caller: Caller,
    request: Request,
    circumstances: Circumstances,
    nowMs: number,
  ) => Judged;
};

/** A request that was understood. Nothing has been done yet. */
type Ready = { behaviour: BehaviourName; judge: (circumstances: Circumstances, nowMs: number) => Judged };

/** An endpoint. */
export type Call = Pick<Definition<never>, "group" | "fault"> & {
  begin: (desk: Desk, caller: Caller, input: unknown) => Ready | { refusal: Outcome };
};

export function defineCall<Request>({ schema, behaviour, judge, ...call }: Definition<Request>): Call {
  return {
    ...call,
    begin: (desk, caller, input) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { refusal: refusalOf(parsed.error) };
      return {
        behaviour: behaviour?.(desk, caller, parsed.data) ?? "plain",
        judge: (circumstances, nowMs) => judge(desk, caller, parsed.data, circumstances, nowMs),
      };
    },
  };
}

/** @returns undefined for a payment that the caller does not have */
export function paymentById(
  { payments, bank }: Desk,
  { merchant }: Caller,
  paymentId: string,
): Payment | undefined {
  return seenBy(bank.book, merchant.merchantId, payments.ofId(paymentId));
}

/** Names the first field that is wrong and never its value, which could be a card number. */
function refusalOf({ issues }: z.ZodError): Outcome {
  const path = issues[0]?.path.map(String) ?? [];
  const code = codesOfFields.get(path.filter((part) => !/^\d+$/.test(part)).join(".")) ?? "11";
  return failure(code, { errorMessage: `${path.join(".") || "body"} is missing or malformed` });
}

/** The fields whose faults have codes of their own (iyzico protocol, error codes). */
const codesOfFields = new Map<string, ErrorCode>([
  ["paymentCard.cardNumber", "12"],
  ["paymentCard.expireMonth", "13"],
  ["paymentCard.expireYear", "14"],
  ["paymentCard.cvc", "15"],
  ["basketItems.id", "5001"],
  ["paymentTransactionId", "5001"],
  ["paymentId", "5002"],
  ["binNumber", "5006"],
]);
