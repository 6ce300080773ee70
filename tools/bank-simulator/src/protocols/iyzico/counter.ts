import type { IncomingMessage, ServerResponse } from "node:http";

import { deliver, MinuteLimits, readBody, replyTooLarge, serveCall, type Counter } from "../../core/index.ts";
import { failure, wireOf, type Outcome } from "./answer.ts";
import { answersOfFaults, circumstancesOf } from "./behaviour.ts";
import { checkBin, listInstallments, testApi } from "./calls/card-calls.ts";
import type { Call, Caller, Desk, IyzicoOffice, Judged } from "./calls/call.ts";
import { detail, reportDetails } from "./calls/inquiry-calls.ts";
import {
  cancel,
  capture,
  refundAmount,
  refundInPanel,
  refundItem,
  voidInPanel,
} from "./calls/follow-up-calls.ts";
import { hold, sale } from "./calls/payment-calls.ts";
import { payoutsBounced, payoutsCompleted, scrollTransactions, transactions } from "./calls/report-calls.ts";
import { acsSessionOf, completeV1, completeV2, initialize, initializeHold } from "./calls/three-ds-calls.ts";
import type { Merchant, SimulatorConfig } from "./config.ts";
import type { Entry } from "./ledger-line.ts";
import { Webhooks } from "./notifications.ts";
import type { Payments } from "./payments.ts";
import type { EndedDays } from "./settlement.ts";
import type { ErrorCode } from "./wire/error-codes.ts";
import { parseJsonSource } from "./wire/json.ts";
import { verifyAuthorization } from "./wire/signature.ts";

/** Every endpoint of the API (iyzico protocol, endpoints). */
const calls: ReadonlyMap<string, Call> = new Map([
  ["POST /payment/auth", sale],
  ["POST /payment/preauth", hold],
  ["POST /payment/postauth", capture],
  ["POST /payment/cancel", cancel],
  ["POST /payment/refund", refundItem],
  ["POST /v2/payment/refund", refundAmount],
  ["POST /payment/detail", detail],
  ["GET /v2/reporting/payment/details", reportDetails],
  ["GET /v2/reporting/payment/transactions", transactions],
  ["GET /v2/reporting/payment/scroll-transactions", scrollTransactions],
  ["POST /payment/3dsecure/initialize", initialize],
  ["POST /payment/3dsecure/initialize/preauth", initializeHold],
  ["POST /payment/3dsecure/auth", completeV1],
  ["POST /payment/v2/3dsecure/auth", completeV2],
  ["POST /payment/bin/check", checkBin],
  ["POST /payment/iyzipos/installment", listInstallments],
  ["POST /reporting/settlement/payoutcompleted", payoutsCompleted],
  ["POST /reporting/settlement/bounced", payoutsBounced],
  ["GET /payment/test", testApi],
]);

type Front = { desk: Desk; merchants: Merchant[]; webhooks: Webhooks; limits: MinuteLimits };

/** The protocol's HTTP interface, as `README.md` describes it. */
export function openCounter(
  office: IyzicoOffice,
  state: { payments: Payments; days: EndedDays },
  config: SimulatorConfig,
): Counter<Entry> {
  // Copies of the merchants, since `PUT /notifications` changes their URLs.
  const merchants = config.merchants.map((merchant) => ({ ...merchant }));
  const desk = { ...office, ...state };
  const webhooks = new Webhooks(merchants, office, config);
  const front = { desk, merchants, webhooks, limits: new MinuteLimits() };
  return {
    route: async (target, query, request, response) => {
      const call = calls.get(target);
      if (call) await answerCall(front, call, target.slice(target.indexOf("/")), query, request, response);
      return call !== undefined;
    },
    refundInPanel: (order, amountMinor) => refundInPanel(desk, order, amountMinor),
    voidInPanel: (order) => voidInPanel(desk, order),
    findSession: (token) => {
      const threeDs = state.payments.ofToken(token);
      const merchant = merchants.find(({ merchantId }) => merchantId === threeDs?.line.merchantId);
      return threeDs && merchant && acsSessionOf(desk, webhooks, merchant, threeDs);
    },
    notifications: webhooks,
  };
}

/** Reads, verifies, carries out and answers a call of the API, in this order. */
async function answerCall(
  front: Front,
  call: Call,
  path: string,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { desk } = front;
  const body = await readBody(request, BODY_BYTES_MAX);
  if (body.kind === "too_large") return replyTooLarge(response);
  const input =
    request.method === "GET"
      ? Object.fromEntries(new URLSearchParams(query))
      : parseJsonSource(body.text)?.value;
  const admitted = admit(front, call, path, request.headers.authorization, body.bytes);
  const merchant = typeof admitted === "string" ? undefined : admitted;
  const wire = wireOf(desk.modes, {
    ...repeated(input),
    secretKey: merchant?.secretKey,
    systemTime: desk.bank.clock.shown(desk.bank.clock.now()),
  });
  const refuse = (outcome: Outcome) => deliver(response, wire, desk, "plain", outcome);
  if (typeof admitted === "string") return refuse(failure(admitted));
  const caller = { merchant: admitted, publicUrl: desk.publicUrlOf(request) };
  const begun = call.begin(desk, caller, input);
  if ("refusal" in begun) return refuse(begun.refusal);
  const behaviour = (call.fault && desk.faults.take(call.fault)) ?? begun.behaviour;
  const circumstances = circumstancesOf(behaviour, call.fault);
  await serveCall(response, wire, desk, {
    behaviour,
    carryOut: async () => {
      const faulty = answersOfFaults[behaviour];
      if (faulty && !faulty.isDone) return { answer: failure(faulty.code) };
      const answer = await carryOut(front, caller, (nowMs) => begun.judge(circumstances, nowMs));
      return { answer: faulty ? failure(faulty.code) : answer };
    },
  });
}

/** A basket of 200 items with long names is smaller. */
const BODY_BYTES_MAX = 128 * 1_024;

/** Judges a call, and notifies the merchant when its traces are durable. */
async function carryOut(
  { desk: { bank }, webhooks }: Front,
  { merchant }: Caller,
  judge: (nowMs: number) => Judged,
): Promise<Outcome> {
  const { outcome, event, notice } = await bank.judge((nowMs) => {
    const judged = judge(nowMs);
    return { line: judged.line, again: judged.again, outcome: judged };
  });
  if (event) await bank.note(event);
  if (notice) webhooks.send(merchant, notice);
  return outcome;
}

/** The merchant that may call, or the code with which the call is refused before any effect. */
function admit(
  { desk: { modes, bank }, merchants, limits }: Front,
  { group }: Call,
  path: string,
  header: string | undefined,
  body: Uint8Array,
): Merchant | ErrorCode {
  const merchant = verifyAuthorization(merchants, header, path, body);
  if (typeof merchant === "string") return merchant;
  if (modes.keys !== "right") return modes.keys === "unknown_key" ? "1001" : "1000";
  if (modes.account === "frozen") return "9000";
  const { limitPerMinute } = modes;
  if (group === undefined || limitPerMinute === null) return merchant;
  const key = `${group} ${merchant.merchantId}`;
  return limits.admit(key, limitPerMinute, bank.clock.now()) ? merchant : "50000";
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
