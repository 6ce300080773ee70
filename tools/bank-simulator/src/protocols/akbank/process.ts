import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import {
  moneyWork,
  planOf,
  readBody,
  replyJson,
  replyTooLarge,
  serveCall,
  uncertaintyIn,
  type Work,
} from "../../core/index.ts";
import { wire, type Answer } from "./answer.ts";
import { uncertainCodes } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import { hmac } from "./hashes.ts";
import { historyRows, wallTime } from "./inquiry.ts";
import { judge } from "./judge.ts";
import type { Entry } from "./ledger-line.ts";
import { readAsked, type Asked, type MoneyRequest } from "./request.ts";

/** Answers a transaction: HTTP 200 with a `responseCode`, 400 for a body with faults, 401 for a caller it does not know. */
export async function handleProcess(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  if (desk.modes.access === "outage") return replyJson(response, 503, { code: 503 });
  const json = jsonOf(body.text);
  const merchant = callerOf(desk, json, body.bytes, request.headers["auth-hash"]);
  if (!merchant) return replyJson(response, 401, { code: 401 });
  const asked = readAsked(json);
  if ("faults" in asked) {
    const errors = asked.faults.map((path) => ({ code: "VPS-9001", message: `${path} is not valid` }));
    return replyJson(response, 400, { code: 400, message: "Bad Request", errors });
  }
  await serveCall(response, wire, desk, workOf({ desk, merchant, asked }));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The merchant of the terminal, if the body is signed with its key. */
function callerOf(
  { merchantOf, modes }: Desk,
  json: unknown,
  bytes: Uint8Array,
  hash: string | string[] | undefined,
): Merchant | undefined {
  const terminal = (json as { terminal?: { merchantSafeId?: unknown; terminalSafeId?: unknown } } | null)
    ?.terminal;
  const merchant = merchantOf(String(terminal?.terminalSafeId));
  if (!merchant || terminal?.merchantSafeId !== merchant.merchantSafeId || modes.access === "wrong_key")
    return undefined;
  const [given, right] = [Buffer.from(String(hash)), Buffer.from(hmac(merchant.secretKey, bytes))];
  return given.length === right.length && timingSafeEqual(given, right) ? merchant : undefined;
}

/** A call, as its answer needs it. */
type Of = { desk: Desk; merchant: Merchant; asked: Asked };

function answerOf({ desk, merchant, asked }: Of, code: string, line?: Entry): Answer {
  const { clock } = desk.bank;
  const { merchantSafeId, terminalSafeId } = merchant;
  const isReferred = line?.hostReference !== null && line !== undefined;
  return {
    code,
    txnCode: asked.txnCode,
    orderId: asked.orderId,
    at: wallTime(clock, line ? Date.parse(line.at) : clock.now()),
    terminal: { merchantSafeId, terminalSafeId },
    transaction:
      asked.money === undefined || asked.money.operation === "void"
        ? undefined
        : {
            authCode: line?.authCode ?? "000000",
            rrn: (isReferred && line.hostReference) || "0",
            batchNumber: isReferred ? line.batch : 0,
            stan: isReferred ? line.stan : 0,
          },
  };
}

/** A call's time is the wall clock's of the bank, and may be off by the tolerance. */
function isOffTime({ desk, asked }: Of): boolean {
  const { clock } = desk.bank;
  const bankMs = Date.parse(`${wallTime(clock, clock.now())}Z`);
  return !(Math.abs(Date.parse(`${asked.at}Z`) - bankMs) <= desk.modes.dateToleranceSeconds * 1_000);
}

function workOf(of: Of): Work<Answer> {
  const { money } = of.asked;
  if (isOffTime(of))
    return { behaviour: "plain", carryOut: async () => ({ answer: answerOf(of, "VPS-1073") }) };
  return money ? moneyOf(of, money) : inquiryOf(of);
}

function inquiryOf(of: Of): Work<Answer> {
  const { bank, modes, faults, linesOf } = of.desk;
  const behaviour = faults.take("inquire") ?? "plain";
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const carryOut = () =>
    bank.judge((nowMs) => {
      const lines = linesOf(of.merchant.terminalSafeId, of.asked.orderId);
      const extraMinor = behaviour === "wrong_amount" ? 1 : 0;
      const rows = historyRows({ lines, modes, clock: bank.clock, nowMs, extraMinor });
      const found = rows.length === 0 ? answerOf(of, "VPS-1123") : { ...answerOf(of, "found"), rows };
      return { outcome: { answer: trouble ? answerOf(of, trouble.code) : found } };
    });
  return { behaviour, carryOut };
}

/** Carries out an operation with the fault that is set for it, or else its card's fault. */
function moneyOf(of: Of, request: MoneyRequest): Work<Answer> {
  const { desk, merchant } = of;
  const { operation, orderId, card } = request;
  const known = card?.kind === "md" ? desk.sessions.find(card.md) : undefined;
  const session = known?.form.merchant === merchant ? known : undefined;
  const order = desk.bank.book.order(merchant.terminalSafeId, orderId);
  const queued = desk.faults.take(card?.kind === "md" ? "complete" : operation);
  const { name: behaviour, issuerCode } = planOf(queued, order, card?.kind === "pan" ? card : session?.form);
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const refuse = (code: string) => answerOf(of, code);
  return moneyWork(desk.bank, behaviour, trouble, refuse, async () => {
    const line = await judge(desk, { merchant, request, session, behaviour, issuerCode });
    return { line, answer: answerOf(of, line.resultCode, line) };
  });
}
