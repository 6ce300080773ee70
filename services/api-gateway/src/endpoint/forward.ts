import {
  idInMode,
  livemodeOf,
  operatorOperations,
  type Endpoint,
  type OperatorOperation,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";
import { defineRoute, type Route } from "./route.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase> };

/**
 * The routes of operators' operations whose command has the path's parameters and the body's fields, and
 * whose answer is the command's result. A route that seals, merges, fans out or translates is written by
 * hand, and is in `written`.
 */
export function forwardedRoutes(deps: Deps, written: readonly Route[]): Route[] {
  const done = new Set(written.map(({ endpoint }) => endpoint.operationId));
  const all: readonly OperatorOperation[] = Object.values(operatorOperations);
  return all.filter(({ operationId }) => !done.has(operationId)).flatMap((each) => forward(deps, each));
}

function forward({ send, db }: Deps, operation: OperatorOperation): Route[] {
  const { command, payload, result, responses, notFound } = operation;
  if (command === undefined || payload !== undefined || result !== undefined) return [];
  const [status, { body }] = Object.entries(responses)[0]!;
  const route = defineRoute(operation, async (call) => {
    const { merchantId } = { ...call.path } as { merchantId?: string };
    if (notFound === "merchant_not_found" && !(await findMerchant(db, merchantId!)))
      return new Refusal(notFound);
    const reply = await send(command, call, { ...inMode(call), ...(call.body as object | undefined) });
    if (!("result" in reply)) return refusalOf(reply);
    nameInLog(call.exchange, reply.result);
    return { status: Number(status), ...(body && { body: reply.result }) };
  });
  return [route];
}

/**
 * The parameters of a path in the request's mode; services store the data of a merchant's test mode under
 * another id.
 */
export function inMode<Path extends object | undefined>({
  path,
  query,
}: {
  path: Path;
  query: object | undefined;
}) {
  const { merchantId } = { ...path } as { merchantId?: string };
  const { livemode } = { ...query } as { livemode?: "true" | "false" };
  return {
    ...path,
    ...(merchantId !== undefined && { merchantId: idInMode(merchantId, livemodeOf(livemode)) }),
  };
}

/** Adds the ids that an answer is about to the request's log line. */
export function nameInLog(
  exchange: Exchange,
  {
    merchantId,
    paymentId,
    refundId = paymentId,
  }: { merchantId?: string; paymentId?: string; refundId?: string },
): void {
  exchange.merchantId = merchantId ?? exchange.merchantId;
  exchange.paymentId = refundId ?? exchange.paymentId;
}

/** @throws TypeError for an endpoint that no route carries out. */
export function requireRoutes(routes: readonly Route[], endpoints: readonly Endpoint[]): void {
  const served = new Set(routes.map(({ endpoint }) => endpoint));
  const missing = endpoints.find((endpoint) => !served.has(endpoint));
  if (missing) throw new TypeError(`nothing carries out ${missing.method} ${missing.path}`);
}
