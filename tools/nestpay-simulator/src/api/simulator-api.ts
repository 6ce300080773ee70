import type { IncomingMessage, ServerResponse } from "node:http";

import {
  readJsonBody,
  replyJson,
  replyLedger,
  replyText,
  takeFaults,
  type Route,
} from "@holdfast/bank-simulator/core";
import { z } from "zod";

import { withoutUndefined } from "../config.ts";
import { modesBody } from "../modes.ts";
import type { BankApi } from "./bank-api.ts";
import { handleFimApi } from "./fim-api.ts";
import { handleAcs, handleGate } from "./gate-api.ts";

/** The simulator's HTTP interface, as `README.md` describes it. */
export function simulatorApi(api: BankApi): Route {
  return (request, response) => route(api, request, response);
}

async function route(api: BankApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const target = `${request.method} ${path}`;
  const session = /^(?:GET|POST) \/acs\/([A-Za-z0-9_-]{1,64})$/.exec(target)?.[1];
  if (session !== undefined) return handleAcs(api, session, request, response);
  const settlement = /^GET \/settlements\/([A-Za-z0-9.-]{1,80})$/.exec(target)?.[1];
  if (settlement !== undefined) return sendSettlement(api, settlement, response);
  switch (target) {
    case "POST /fim/api":
      return handleFimApi(api, request, response);
    case "POST /fim/est3Dgate":
      return handleGate(api, request, response);
    case "GET /ledger":
      return replyLedger(api.ledger, new URLSearchParams(query).get("since"), response);
    case "POST /faults":
      return takeFaults(api.faults, request, response);
    case "DELETE /faults":
      api.faults.clear();
      return replyJson(response, 200, {});
    case "PUT /modes":
      return changeModes(api, request, response);
    case "POST /clock":
      return advanceClock(api, request, response);
    case "POST /business-day/close":
      await api.businessDay.end();
      return replyJson(response, 200, {});
    case "GET /business-day":
      return replyJson(response, 200, { closedAt: api.businessDay.closedAt ?? null });
    case "GET /settlements":
      return replyJson(response, 200, { settlements: await api.settlements.list() });
    case "GET /livez":
      return replyJson(response, 200, {});
    default:
      return replyJson(response, 404, { error: "no_such_route" });
  }
}

async function sendSettlement(
  { settlements }: BankApi,
  name: string,
  response: ServerResponse,
): Promise<void> {
  const file = await settlements.read(name);
  if (!file) return replyJson(response, 404, { error: "no_such_settlement" });
  replyText(response, 200, "text/csv; charset=ISO-8859-9", file);
}

async function changeModes(
  { modes }: BankApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const changes = await parseBody(request, modesBody);
  if (!changes) return replyJson(response, 400, { error: "invalid_modes" });
  replyJson(response, 200, Object.assign(modes, withoutUndefined(changes)));
}

async function advanceClock(
  { clock }: BankApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await parseBody(request, clockBody);
  if (!body) return replyJson(response, 400, { error: "invalid_clock" });
  clock.advance(body.advanceSeconds * 1_000);
  replyJson(response, 200, { now: new Date(clock.now()).toISOString() });
}

/** @returns undefined for a body that is too large, no JSON or not of the schema */
async function parseBody<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const body = await readJsonBody(request);
  return body.kind === "json" ? schema.safeParse(body.value).data : undefined;
}

/** At most a year at a time; time does not go back. */
const clockBody = z.strictObject({ advanceSeconds: z.int().min(0).max(31_536_000) });
