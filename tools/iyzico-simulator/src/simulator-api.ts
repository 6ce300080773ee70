import type { IncomingMessage, ServerResponse } from "node:http";

import {
  readJsonBody,
  replyJson,
  replyLedger,
  replyText,
  replyTooLarge,
  takeFaults,
  type Ledger,
  type Route,
} from "@holdfast/bank-simulator/core";

import { routeAcs, type AcsDeps } from "./acs-api.ts";
import { answerCall, type CallDeps } from "./answer-call.ts";
import type { LedgerLine } from "./bank/ledger-line.ts";
import { callTable } from "./calls/call-table.ts";
import type { BusinessDays } from "./control/business-days.ts";
import { changeWebhookUrl } from "./control/merchants.ts";
import { changedModes, type Modes } from "./control/modes.ts";

export type ApiDeps = CallDeps & {
  acs: AcsDeps;
  ledger: Ledger<LedgerLine>;
  businessDays: BusinessDays;
  /** Changed by `PUT /modes`. */
  modes: Modes;
};

/** The simulator's HTTP interface, as `README.md` describes it. */
export function simulatorApi(deps: ApiDeps): Route {
  return (request, response) => route(deps, request, response);
}

async function route(deps: ApiDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const target = `${request.method} ${path}`;
  const call = callTable.get(target);
  if (call) return answerCall(deps, call, path, query, request, response);
  if (await routeAcs(deps.acs, target, request, response)) return;
  if (target.startsWith(SETTLEMENT_PREFIX))
    return handleSettlement(deps, target.slice(SETTLEMENT_PREFIX.length), response);
  switch (target) {
    case "GET /ledger":
      return replyLedger(deps.ledger, new URLSearchParams(query).get("since"), response);
    case "POST /faults":
      return takeFaults(deps.faults, request, response);
    case "DELETE /faults":
      deps.faults.clear();
      return replyJson(response, 200, {});
    case "PUT /modes":
      return changeModes(deps, request, response);
    case "PUT /webhooks":
      return changeWebhooks(deps, request, response);
    case "POST /business-day/close":
      await deps.businessDays.close();
      return replyJson(response, 200, {});
    case "GET /business-day":
      return replyJson(response, 200, { closedAt: deps.businessDays.closedAt ?? null });
    case "GET /settlements":
      return replyJson(response, 200, { settlements: deps.businessDays.settlements });
    case "GET /livez":
      return replyJson(response, 200, {});
    default:
      return replyJson(response, 404, { error: "no_such_route" });
  }
}

const SETTLEMENT_PREFIX = "GET /settlements/";

async function handleSettlement(deps: ApiDeps, name: string, response: ServerResponse): Promise<void> {
  const text = await deps.businessDays.settlement(name);
  if (text === undefined) return replyJson(response, 404, { error: "no_such_settlement" });
  replyText(response, 200, "text/csv; charset=utf-8", text);
}

async function changeModes(deps: ApiDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readJsonBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const changed = body.kind === "json" ? changedModes(deps.modes, body.value) : undefined;
  if (!changed) return replyJson(response, 400, { error: "invalid_modes" });
  replyJson(response, 200, Object.assign(deps.modes, changed));
}

async function changeWebhooks(
  deps: ApiDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readJsonBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const isChanged = body.kind === "json" && changeWebhookUrl(deps.merchants, body.value);
  replyJson(response, isChanged ? 200 : 400, isChanged ? {} : { error: "invalid_webhook" });
}
