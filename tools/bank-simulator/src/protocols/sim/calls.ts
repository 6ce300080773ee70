import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import { z } from "zod";

import { parse, readRequest, replyJson, serveCall, type Counter, type Office } from "../../core/index.ts";
import { chooseBehaviour, circumstancesOf, type faultTable } from "./behaviour.ts";
import { acsSessionOf, ChallengeSessions, withAuthentication } from "./challenge-sessions.ts";
import type { Entry } from "./ledger-line.ts";
import type { Modes } from "./modes.ts";
import { Notifications } from "./notifications.ts";
import {
  operationNames,
  parseOperationRequest,
  referenceSchema,
  type OperationName,
} from "./operation-request.ts";
import { settlementCsv } from "./settlement-csv.ts";
import { Teller } from "./teller.ts";
import { routeThreeDs } from "./three-ds.ts";
import { takenReply, wire } from "./wire.ts";

export type SimOffice = Office<Entry, never, typeof faultTable, Modes>;

/** The parts that this protocol's calls use. */
export type Desk = SimOffice & {
  teller: Teller;
  sessions: ChallengeSessions;
  notifications: Notifications;
  lateAfterMs: number;
  spent: Set<string>;
};

/** The protocol's HTTP interface, as `README.md` describes it. */
export function openCounter(office: SimOffice, { lateAfterMs }: { lateAfterMs: number }): Counter<Entry> {
  const desk: Desk = {
    ...office,
    teller: new Teller(office.bank, office.modes),
    sessions: new ChallengeSessions(),
    notifications: new Notifications(office.notifier),
    lateAfterMs,
    spent: new Set(),
  };
  return {
    route: (target, _query, request, response) => route(desk, target, request, response),
    refundInPanel: (order, amountMinor) => desk.teller.refundInPanel(order, amountMinor),
    findSession: (id) => {
      const session = desk.sessions.find(id);
      return session && acsSessionOf(session, desk.modes);
    },
    notifications: desk.notifications,
  };
}

async function route(
  desk: Desk,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const operation = operationsByTarget.get(target);
  if (operation) await handleOperation(desk, operation, request, response);
  else if (target.startsWith(INQUIRY_PREFIX))
    await handleInquiry(desk, target.slice(INQUIRY_PREFIX.length), response);
  else if (target === "POST /decisions") await decidePending(desk, request, response);
  else if (target === "GET /settlement") {
    response.writeHead(200, { "content-type": SETTLEMENT_TYPE });
    await pipeline(settlementCsv(desk.bank.ledger.read(() => true)), response);
  } else return await routeThreeDs(desk, target, request, response);
  return true;
}

async function handleOperation(
  desk: Desk,
  operation: OperationName,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, (body, nowMs) =>
    parseOperationRequest(operation, body, nowMs),
  );
  if (!read) return;
  const { asked, arrivedAtMs } = read;
  const { reference, expiresAtMs } = asked;
  desk.notifications.arrived(reference);
  const behaviour = chooseBehaviour(desk, asked);
  await serveCall(response, wire, desk, {
    behaviour: behaviour.name,
    dueAtMs: expiresAtMs ?? arrivedAtMs + desk.lateAfterMs,
    carryOut: async () => {
      const circumstances = circumstancesOf(behaviour, asked, arrivedAtMs);
      const answer =
        operation === "reverse"
          ? await desk.teller.reverse(asked, circumstances)
          : await desk.teller.operate(asked, circumstances);
      if (answer.kind !== "answer") return { reply: takenReply(answer.kind, reference) };
      const { outcome } = answer.body;
      if (outcome !== "pending") desk.notifications.judged(reference, outcome);
      return { answer: answer.body };
    },
  });
}

async function decidePending(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, (body) => parse(decisionBody, body));
  if (!read) return;
  const { reference, outcome } = read.asked;
  const isKnown = await desk.teller.decide(reference, outcome === "declined" ? "05" : undefined);
  if (isKnown) desk.notifications.judged(reference, outcome);
  replyJson(response, isKnown ? 200 : 404, isKnown ? {} : { error: "nothing_pending", reference });
}

async function handleInquiry(desk: Desk, encodedReference: string, response: ServerResponse): Promise<void> {
  const reference = referenceSchema.safeParse(decodeReference(encodedReference));
  if (!reference.success)
    return replyJson(response, 400, { error: "invalid_request", fields: ["reference"] });
  await serveCall(response, wire, desk, {
    behaviour: desk.faults.take("inquire") ?? "plain",
    carryOut: async () => {
      const answer = await desk.teller.inquire(reference.data);
      const isOperation = answer.operation !== undefined;
      const session = isOperation ? desk.sessions.ofReference(reference.data) : undefined;
      return { answer: withAuthentication(answer, session) };
    },
  });
}

function decodeReference(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

export const SETTLEMENT_TYPE = "text/csv; charset=utf-8";
const INQUIRY_PREFIX = "GET /v1/operations/";

const operationsByTarget = new Map<string, OperationName>(
  operationNames.map((name) => [`POST /v1/${name}`, name]),
);

/** The bank's decision about an accepted operation. */
const decisionBody = z.object({ reference: referenceSchema, outcome: z.enum(["approved", "declined"]) });
