import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { readBody, replyTooLarge } from "@holdfast/bank-simulator/core";

import type { BehaviourName } from "./bank/behaviour.ts";
import type { Circumstances } from "./bank/judged.ts";
import { failure, type Call, type Office, type Outcome } from "./calls/call.ts";
import type { Faults, FaultOperation } from "./control/faults.ts";
import type { Merchant } from "./control/merchants.ts";
import type { MinuteLimits } from "./control/minute-limits.ts";
import { deliver, type Envelope } from "./deliver.ts";
import { verifyAuthorization } from "./wire/authorization.ts";
import type { ErrorCode } from "./wire/error-codes.ts";
import { parseJsonSource } from "./wire/json-source.ts";

export type CallDeps = {
  office: Office;
  merchants: readonly Merchant[];
  faults: Faults;
  limits: MinuteLimits;
  /** The URL at which browsers reach it; undefined where it is the callers' address. */
  publicUrl: string | undefined;
  hangMs: number;
  latenessMs: number;
  /** Aborted when the simulator stops: late answers and late effects are dropped then. */
  stopping: AbortSignal;
};

/** Reads, verifies, carries out and answers a call of the API, in this order. */
export async function answerCall(
  deps: CallDeps,
  call: Call,
  path: string,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { office, hangMs } = deps;
  const { modes } = office;
  const body = await readBody(request, BODY_BYTES_MAX);
  if (body.kind === "too_large") return replyTooLarge(response);
  const input = request.method === "GET" ? queryInput(query) : parseJsonSource(body.text)?.value;
  const admitted = admit(deps, call, path, request.headers.authorization, body.bytes);
  const envelope: Envelope = {
    ...repeated(input),
    secretKey: admitted.kind === "admitted" ? admitted.merchant.secretKey : undefined,
    systemTime: office.now(),
  };
  const reply = (behaviour: BehaviourName, outcome: Outcome) =>
    deliver({ hangMs, modes }, behaviour, response, outcome, envelope);
  if (admitted.kind === "refused") return reply("plain", failure(admitted.code));
  const caller = { merchant: admitted.merchant, publicUrl: publicUrlOf(deps, request) };
  const begun = call.begin(office, caller, input);
  if (begun.kind === "refused") return reply("plain", begun.outcome);

  const queued = call.fault === null ? undefined : deps.faults.take(call.fault);
  const behaviour = queued ?? begun.behaviour;
  if (behaviour === "hang_before") return reply(behaviour, failure("1"));
  if (behaviour === "limited") return reply(behaviour, failure("50000"));
  if (behaviour === "unknown_not_done") return reply(behaviour, failure("10219"));
  if (behaviour === "late_effect") await late(deps);
  const outcome = await begun.carryOut(circumstancesOf(behaviour, call.fault));
  if (behaviour === "late") await late(deps);
  return reply(behaviour, behaviour === "unknown_done" ? failure("10219") : outcome);
}

/** A basket of 200 items with long names is smaller. */
const BODY_BYTES_MAX = 128 * 1_024;

type Admission = { kind: "admitted"; merchant: Merchant } | { kind: "refused"; code: ErrorCode };

/** Decides whether a caller may call at all, before any effect. */
function admit(
  { office: { modes, now }, merchants, limits }: CallDeps,
  { group }: Call,
  path: string,
  header: string | undefined,
  body: Uint8Array,
): Admission {
  const verified = verifyAuthorization(merchants, header, path, body);
  if (verified.kind === "refused") return verified;
  const { merchant } = verified;
  if (modes.keys !== "right")
    return { kind: "refused", code: modes.keys === "unknown_key" ? "1001" : "1000" };
  if (modes.account === "frozen") return { kind: "refused", code: "9000" };
  const { limitPerMinute } = modes;
  if (group === null || limitPerMinute === null) return { kind: "admitted", merchant };
  return limits.admit(merchant.merchantId, group, limitPerMinute, now())
    ? { kind: "admitted", merchant }
    : { kind: "refused", code: "50000" };
}

function queryInput(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Every answer repeats these two, also where the rest of the request is wrong. */
function repeated(input: unknown): { locale: string; conversationId: string } {
  const { locale, conversationId } = (typeof input === "object" && input !== null ? input : {}) as {
    locale?: unknown;
    conversationId?: unknown;
  };
  return {
    locale: locale === "en" ? "en" : "tr",
    conversationId: typeof conversationId === "string" ? conversationId.slice(0, 255) : "",
  };
}

/** The address that the caller used, unless another one is configured. */
function publicUrlOf({ publicUrl }: CallDeps, { headers }: IncomingMessage): string {
  return publicUrl ?? `http://${headers.host ?? "127.0.0.1"}`;
}

function circumstancesOf(behaviour: BehaviourName, operation: FaultOperation | null): Circumstances {
  const forcedCode = behaviour === "decline" && operation !== null ? declines[operation] : undefined;
  return { forcedCode, isPartial: behaviour === "partial" };
}

/** The code with which the fault `decline` declines. */
const declines: Record<FaultOperation, ErrorCode> = {
  authorize: "10005",
  sale: "10005",
  complete: "10005",
  capture: "10005",
  void: "10012",
  refund: "10246",
  enrol: "10220",
  inquire: "10220",
};

function late({ latenessMs, stopping }: CallDeps): Promise<void> {
  return sleep(latenessMs, undefined, { signal: stopping });
}
