import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import {
  holdUnanswered,
  replyJson,
  replyLedger,
  takeFaults,
  type Ledger,
  type Route,
} from "@holdfast/simulator-kit";
import type { LedgerLine } from "./ledger-entry.ts";
import { replyTaken } from "./reply-taken.ts";
import { chooseBehaviour, circumstancesOf } from "./behaviour.ts";
import type { BusinessDay } from "./business-day.ts";
import { withAuthentication, type ChallengeSessions } from "./challenge-sessions.ts";
import { deliver } from "./deliver.ts";
import type { FaultQueue } from "./fault-queue.ts";
import { type Modes, parseModes } from "./modes.ts";
import { parseNotificationTarget, type Notifications } from "./notifications.ts";
import { operateOrAccept } from "./operate-or-accept.ts";
import {
  operationNames,
  parseOperationRequest,
  referenceSchema,
  type OperationName,
  invalid,
} from "./operation-request.ts";
import type { PendingDesk } from "./pending-desk.ts";
import { readRequest, type Parsed } from "./read-request.ts";
import { settlementCsv } from "./settlement-csv.ts";
import type { Teller } from "./teller.ts";
import { routeThreeDs } from "./three-ds-api.ts";
import { untilLate } from "./until-late.ts";
import { z } from "zod";

export type ApiDeps = {
  teller: Teller;
  ledger: Ledger<LedgerLine>;
  businessDay: BusinessDay;
  /** Changed by `PUT /modes`. */
  modes: Modes;
  faults: FaultQueue;
  sessions: ChallengeSessions;
  pending: PendingDesk;
  notifications: Notifications;
  /** The URL at which browsers reach it; undefined where that is the address its callers use. */
  publicUrl: string | undefined;
  hangMs: number;
  latenessMs: number;
  lateAfterMs: number;
  /** Aborted when the simulator stops: late answers and late effects are dropped then. */
  stopping: AbortSignal;
};

export type Api = ApiDeps & { spent: Set<string> };

/** The simulator's HTTP interface, as `README.md` describes it. */
export function simulatorApi(deps: ApiDeps): Route {
  const api: Api = { ...deps, spent: new Set() };
  return (request, response) => route(api, request, response);
}

async function route(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const target = `${request.method} ${path}`;
  const operation = operationsByTarget.get(target);
  if (operation) return handleOperation(api, operation, request, response);
  if (target.startsWith(INQUIRY_PREFIX))
    return handleInquiry(api, target.slice(INQUIRY_PREFIX.length), response);
  if (await routeThreeDs(api, target, query, request, response)) return;
  switch (target) {
    case "GET /ledger":
      return replyLedger(api.ledger, new URLSearchParams(query).get("since"), response);
    case "GET /settlement":
      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" });
      return pipeline(settlementCsv(api.ledger.read(() => true)), response);
    case "POST /faults":
      return takeFaults(api.faults, request, response);
    case "DELETE /faults":
      api.faults.clear();
      return replyJson(response, 200, {});
    case "POST /decisions":
      return decidePending(api, request, response);
    case "PUT /modes":
      return changeModes(api, request, response);
    case "PUT /notifications":
      return sendNotificationsTo(api, request, response);
    case "DELETE /notifications":
      api.notifications.sendTo(undefined);
      return replyJson(response, 200, {});
    case "POST /business-day/close":
      await api.businessDay.close();
      return replyJson(response, 200, {});
    case "GET /business-day":
      return replyJson(response, 200, { closedAt: api.businessDay.closedAt ?? null });
    case "GET /livez":
      return replyJson(response, 200, {});
    default:
      return replyJson(response, 404, { error: "no_such_route" });
  }
}

async function handleOperation(
  api: Api,
  operation: OperationName,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, (body, nowMs) =>
    parseOperationRequest(operation, body, nowMs),
  );
  if (!read) return;
  const { asked, arrivedAtMs } = read;
  const { expiresAtMs } = asked;
  api.notifications.arrived(asked.reference);
  const behaviour = chooseBehaviour(
    { queue: api.faults, spent: api.spent, hasSeen: (seen) => api.teller.hasSeen(seen) },
    asked,
  );
  if (behaviour.name === "hang_before") return holdUnanswered(response, api.hangMs);
  if (behaviour.name === "late_effect") await untilLate(api, expiresAtMs, arrivedAtMs);

  const circumstances = circumstancesOf(behaviour, asked, arrivedAtMs);
  const answer =
    operation === "reverse"
      ? await api.teller.reverse(asked, circumstances)
      : await operateOrAccept(api, asked, { ...circumstances, isPending: behaviour.name === "pending" });
  if (answer.kind !== "answer") return replyTaken(response, answer.kind, asked.reference);
  if (answer.body.outcome !== "pending") api.notifications.judged(asked.reference, answer.body.outcome);
  if (behaviour.name === "late") await untilLate(api, expiresAtMs, arrivedAtMs);
  return deliver(api, behaviour.name, response, answer.body);
}

async function decidePending(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, parseDecision);
  if (!read) return;
  const { reference, outcome } = read.asked;
  const isKnown = await api.pending.decide(reference, outcome === "declined" ? "05" : undefined);
  if (isKnown) api.notifications.judged(reference, outcome);
  replyJson(response, isKnown ? 200 : 404, isKnown ? {} : { error: "nothing_pending", reference });
}

async function handleInquiry(api: Api, encodedReference: string, response: ServerResponse): Promise<void> {
  const reference = referenceSchema.safeParse(decodeReference(encodedReference));
  if (!reference.success)
    return replyJson(response, 400, { error: "invalid_request", fields: ["reference"] });
  const behaviour = api.faults.take("inquire") ?? "plain";
  const known = await api.teller.inquire(reference.data);
  const answer = (known.outcome === "not_found" && api.pending.answerTo(reference.data)) || known;
  const isOperation = answer.operation !== undefined;
  const session = isOperation ? api.sessions.ofReference(reference.data) : undefined;
  return deliver(api, behaviour, response, withAuthentication(answer, session));
}

async function changeModes(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, parseModes);
  if (!read) return;
  replyJson(response, 200, Object.assign(api.modes, read.asked));
}

async function sendNotificationsTo(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, parseNotificationTarget);
  if (!read) return;
  api.notifications.sendTo(read.asked);
  replyJson(response, 200, {});
}

function decodeReference(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

const INQUIRY_PREFIX = "GET /v1/operations/";

const operationsByTarget = new Map<string, OperationName>(
  operationNames.map((name) => [`POST /v1/${name}`, name]),
);

/** The bank's decision about an accepted operation. */
type Decision = { reference: string; outcome: "approved" | "declined" };

/** Checks the body of `POST /decisions`. */
function parseDecision(body: unknown): Parsed<Decision> {
  const parsed = decisionBody.safeParse(body);
  return parsed.success ? { kind: "valid", request: parsed.data } : invalid(parsed.error);
}

const decisionBody = z.object({ reference: referenceSchema, outcome: z.enum(["approved", "declined"]) });
