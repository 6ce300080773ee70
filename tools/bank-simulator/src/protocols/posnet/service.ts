import type { IncomingMessage, ServerResponse } from "node:http";

import {
  deliver,
  messagePage,
  readBody,
  replyPage,
  replyTooLarge,
  serveCall,
  transactionDate,
  uncertaintyIn,
  verdictOf,
  type Work,
} from "../../core/index.ts";
import { refused, wireOf, type Answer } from "./answer.ts";
import { uncertainCodes } from "./behaviours.ts";
import type { Desk } from "./desk.ts";
import { REJECTED } from "./gate.ts";
import { transactionsOf } from "./inquiry.ts";
import { orderName } from "./ledger-line.ts";
import { moneyCall, type Caller } from "./money.ts";
import { beginWork, completeWork, resolveWork } from "./oos.ts";
import { accessRules, formFault, moneyRequestOf, readSent } from "./request.ts";

/** Answers `POST /PosnetWebService/XML`. Approvals and refusals are HTTP 200. */
export async function handleXml(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const { modes } = desk;
  if (modes.access === "outage") return replyPage(response, 503, messagePage("Service unavailable"));
  if (modes.access === "firewall") return replyPage(response, 200, REJECTED);
  const address = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "");
  // The document declares another encoding than the form's, in which it is sent.
  const sent = readSent(isForm ? new URLSearchParams(body.text).get("xmldata") : null);
  const merchant = desk.merchantOf(sent?.tid ?? "");
  const of = sent && { sent, merchant, address, modes };
  const fault = of ? (verdictOf(accessRules, of) ?? formFault(of)) : "0002 posnetRequest";
  if (fault !== undefined || !merchant || !sent)
    return deliver(response, wireOf(modes), desk, "plain", refused(fault ?? "0148", address));
  await serveCall(response, wireOf(modes), desk, workOf({ desk, sent, merchant, address }));
}

function workOf(of: Caller): Work<Answer> {
  const { desk, sent, merchant } = of;
  switch (sent.call) {
    case "agreement":
      return inquiryWork(of);
    case "oosRequestData":
      return beginWork(of);
    case "oosResolveMerchantData":
      return resolveWork(of);
    case "oosTranData":
      return completeWork(of);
    default: {
      const { clock } = desk.bank;
      const today = transactionDate(clock, clock.now()).slice(0, 8);
      return moneyCall(of, moneyRequestOf(sent, merchant, today));
    }
  }
}

function inquiryWork({ desk, sent, merchant, address }: Caller): Work<Answer> {
  const { bank, modes, faults, linesOf } = desk;
  const behaviour = faults.take("inquire") ?? "plain";
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const [orderId, orderDate] = [sent.field("orderID"), sent.field("orderDate")];
  const isUnfound = modes.leadingZeros === "unfound" && orderId.startsWith("0");
  const name = orderName({ orderId, orderDate: merchant.options.orderIdParameter ? orderDate : null });
  const carryOut = () =>
    bank.judge((nowMs) => {
      const lines = isUnfound ? [] : linesOf(merchant.tid, name);
      const values = transactionsOf({ lines, modes, clock: bank.clock, nowMs, behaviour });
      const refusal = refused(trouble?.code ?? "E219", address);
      const answer: Answer =
        trouble || !values ? refusal : { ...refusal, approved: "1", refusal: "", values };
      return { outcome: { answer } };
    });
  return { behaviour, carryOut };
}
