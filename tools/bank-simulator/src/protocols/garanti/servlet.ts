import type { IncomingMessage, ServerResponse } from "node:http";

import {
  deliver,
  moneyWork,
  planOf,
  readBody,
  readXml,
  replyTooLarge,
  serveCall,
  transactionDate,
  uncertaintyIn,
  verdictOf,
  xmlInBody,
  type Work,
} from "../../core/index.ts";
import { uncertainCodes } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import { wireOf, type Answer } from "./gvps-answer.ts";
import { accessRules, formRules, moneyRequestOf, viewOf, type MoneyRequest } from "./gvps-request.ts";
import { securityOf, type Field } from "./hashes.ts";
import { historyShown, orderShown } from "./inquiry.ts";
import { judge } from "./judge.ts";
import type { Entry } from "./ledger-line.ts";

/** Answers `POST /VPServlet`. Approvals and refusals are HTTP 200. */
export async function handleServlet(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { modes } = desk;
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const text = xmlInBody(body.bytes, "data");
  const elements = text === undefined ? undefined : readXml(text, "GVPSRequest");
  const field: Field = (path) => elements?.get(path) ?? "";
  const merchant = desk.merchantOf(field("Terminal/ID"));
  const sent = { field, merchant, modes };
  const security = securityOf(merchant, field("Terminal/ProvUserID"));
  const of = { desk, field, security };
  const outside = elements ? verdictOf(accessRules, sent) : "9999";
  const code = outside ?? verdictOf(formRules, sent);
  if (code !== undefined || !merchant) {
    const isSigned = outside === undefined || modes.signsBadCredentials;
    const refusal = answerOf(isSigned ? of : { ...of, security: undefined }, code ?? "0752");
    return deliver(response, wireOf(modes), desk, "plain", refusal);
  }
  const asked = moneyRequestOf(sent);
  const work = asked ? workOf(of, merchant, asked) : inquiryOf(of, merchant, viewOf(sent) === "history");
  await serveCall(response, wireOf(modes), desk, work);
}

/** A call, as its answer needs it. */
type Of = { desk: Desk; field: Field; security: string | undefined };

function answerOf({ desk, field, security }: Of, code: string, line?: Entry): Answer {
  const { clock, book } = desk.bank;
  const names = ["ProvUserID", "UserID", "ID", "MerchantID"];
  return {
    code,
    terminal: Object.fromEntries(names.map((name) => [name, field(`Terminal/${name}`)])),
    orderId: line?.orderId ?? field("Order/OrderID"),
    retrefNum: line?.hostReference ?? "",
    authCode: line?.authCode ?? "",
    batch: book.day,
    provDate: transactionDate(clock, line ? Date.parse(line.at) : clock.now()),
    pan: line?.pan ?? null,
    order: {},
    security,
  };
}

function inquiryOf(of: Of, { terminalId }: Merchant, isHistory: boolean): Work<Answer> {
  const { bank, modes, faults, linesOf } = of.desk;
  const orderId = of.field("Order/OrderID");
  const behaviour = faults.take("inquire") ?? "plain";
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const carryOut = () =>
    bank.judge((nowMs) => {
      const order = bank.book.order(terminalId, orderId);
      const lines = linesOf(terminalId, orderId);
      const extraMinor = behaviour === "wrong_amount" ? 1 : 0;
      const view = { order, lines, modes, clock: bank.clock, day: bank.book.day, nowMs, extraMinor };
      const { code, order: block } = (isHistory ? historyShown : orderShown)(view);
      const answer = trouble ? answerOf(of, trouble.code) : { ...answerOf(of, code), order: block };
      return { outcome: { answer } };
    });
  return { behaviour, carryOut };
}

/** Carries out an operation with the fault that is set for it, or else its card's fault. */
function workOf(of: Of, merchant: Merchant, request: MoneyRequest): Work<Answer> {
  const { desk } = of;
  const { operation, orderId, card } = request;
  const known = card?.kind === "md" ? desk.sessions.find(card.md) : undefined;
  const session = known?.form.merchant === merchant ? known : undefined;
  const order = desk.bank.book.order(merchant.terminalId, orderId);
  const queued = desk.faults.take(card?.kind === "md" ? "complete" : operation);
  const { name: behaviour, issuerCode } = planOf(queued, order, card?.kind === "pan" ? card : session?.form);
  const isDead = desk.modes.sharedTerminal && ["void", "refund"].includes(operation);
  const trouble = uncertaintyIn(uncertainCodes, isDead ? "rpc_not_done" : behaviour);
  const refuse = (code: string) => answerOf(of, code);
  return moneyWork(desk.bank, behaviour, trouble, refuse, async () => {
    const line = await judge(desk, { merchant, request, session, behaviour, issuerCode });
    return { line, answer: answerOf(of, line.resultCode, line) };
  });
}
