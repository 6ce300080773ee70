import type { z } from "zod";

import type { Bank } from "../bank/bank.ts";
import type { BehaviourName } from "../bank/behaviour.ts";
import type { Circumstances } from "../bank/judged.ts";
import type { Teller } from "../bank/teller.ts";
import type { ThreeDsDesk } from "../bank/three-ds-desk.ts";
import type { FaultOperation } from "../control/faults.ts";
import type { Merchant } from "../control/merchants.ts";
import type { LimitGroup } from "../control/minute-limits.ts";
import type { Modes } from "../control/modes.ts";
import type { WebhookEvent } from "../control/webhooks.ts";
import type { ErrorCode } from "../wire/error-codes.ts";
import type { AnswerFields } from "../wire/write-answer.ts";

/** The parts that the calls of the API use. */
export type Office = {
  bank: Bank;
  teller: Teller;
  threeDs: ThreeDsDesk;
  modes: Readonly<Modes>;
  now: () => number;
  notify: (merchant: Merchant, event: Omit<WebhookEvent, "iyziReferenceCode" | "iyziEventTime">) => void;
};

/** The caller, and the address at which browsers reach this process for it (a URL without a slash at the end). */
export type Caller = { merchant: Merchant; publicUrl: string };

/** An answer before any fault changes it. `signs` names the fields of its signature, in their order. */
export type Outcome =
  | { kind: "success"; fields: AnswerFields; signs: readonly string[] }
  | { kind: "failure"; code: ErrorCode; message?: string; fields?: AnswerFields };

/** A request that was understood. Nothing has been done yet. */
export type Ready = {
  kind: "ready";
  /** The treatment that the card's number asks for. */
  behaviour: BehaviourName;
  carryOut(circumstances: Circumstances): Promise<Outcome>;
};

/** An endpoint. `group` is that of its limit, `fault` its name in `POST /faults`; null where it has none. */
export type Call = {
  group: LimitGroup | null;
  fault: FaultOperation | null;
  begin(office: Office, caller: Caller, input: unknown): Ready | { kind: "refused"; outcome: Outcome };
};

export function defineCall<Request>(call: {
  group: LimitGroup | null;
  fault: FaultOperation | null;
  schema: z.ZodType<Request>;
  behaviour?: (office: Office, caller: Caller, request: Request) => BehaviourName;
  carryOut(
    office: Office,
    caller: Caller,
    request: Request,
    circumstances: Circumstances,
  ): Outcome | Promise<Outcome>;
}): Call {
  return {
    group: call.group,
    fault: call.fault,
    begin: (office, caller, input) => {
      const parsed = call.schema.safeParse(input);
      if (!parsed.success) return { kind: "refused", outcome: refusalOf(parsed.error) };
      return {
        kind: "ready",
        behaviour: call.behaviour?.(office, caller, parsed.data) ?? "plain",
        carryOut: async (circumstances) => call.carryOut(office, caller, parsed.data, circumstances),
      };
    },
  };
}

export function failure(code: ErrorCode, fields?: AnswerFields): Outcome {
  return { kind: "failure", code, ...(fields && { fields }) };
}

/** Names the first field that is wrong and never its value, which could be a card number. */
function refusalOf({ issues }: z.ZodError): Outcome {
  const path = issues[0]?.path.map(String) ?? [];
  const code = codesOfFields.get(path.filter((part) => !/^\d+$/.test(part)).join(".")) ?? "11";
  return { kind: "failure", code, message: `${path.join(".") || "body"} is missing or malformed` };
}

/** The fields whose fault has a code of its own (iyzico protocol, error codes). */
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
