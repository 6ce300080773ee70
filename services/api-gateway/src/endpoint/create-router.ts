import { parse as parseQuery } from "node:querystring";
import type { IncomingMessage } from "node:http";
import { OPERATOR_ROLES, type Endpoint, type OperatorRole } from "@holdfast/contracts";
import { Router, type RequestHandler } from "express";
import type { z } from "zod";
import { createInFlightLimit, type InFlightLimit } from "../limits/in-flight-limit.ts";
import type { LimitRate } from "../limits/merchant-rate-limit.ts";
import type { Exchange } from "../http/exchange.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { parseJson } from "./parse-json.ts";
import { parseRequest } from "./parse-request.ts";
import { refuse } from "../http/problem-response.ts";
import { queryText, requestHandler, type RoutedRequest } from "../http/routed-request.ts";
import { readBody } from "../http/read-body.ts";
import { Refusal } from "../http/refusal.ts";
import type { Call, Route } from "./route.ts";

/** Fills in who signed in, or refuses. Reads headers only. */
export type Authenticate = (request: IncomingMessage, exchange: Exchange) => Promise<Refusal | undefined>;

export type RouterOptions = {
  /** Everything under this path needs a sign-in, routes that do not exist included. */
  prefix: string;
  authenticate: Authenticate;
  /** Looks at requests that are signed in, routes that do not exist included. */
  limitRate?: LimitRate;
  routes: Route[];
  /** Requests under way at once; one more is refused as not started. */
  inFlightMax: number;
};

/**
 * The order in which a request is looked at: who sends it, whether that is too often, whether there is such a route and
 * method, whether there is a place for it, whether the role allows it, and only then its body. express does the
 * matching; nothing else of it is used, since its application re-parents each request and response and adds headers
 * that would have to be taken away again.
 */
export function createRouter({
  prefix,
  authenticate,
  limitRate,
  routes,
  inFlightMax,
}: RouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(
    prefix,
    requestHandler(async (request, exchange, next) => {
      const refusal = (await authenticate(request, exchange)) ?? limitRate?.(exchange);
      if (refusal) refuse(exchange, refusal);
      else next();
    }),
  );
  const inPlace = createInFlightLimit(inFlightMax);
  for (const [path, routesHere] of Map.groupBy(routes, ({ endpoint }) => endpoint.path)) {
    const expressRoute = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
    for (const route of routesHere) expressRoute[methodOf(route.endpoint)](routeHandler(route, inPlace));
    expressRoute.all(methodNotAllowed(path, allowedMethods(routesHere)));
  }
  return router;
}

function routeHandler(route: Route, inPlace: InFlightLimit): RequestHandler {
  return requestHandler(async (request, exchange) => {
    exchange.route = route.endpoint.path;
    const hadPlace = await inPlace(async () => {
      const call = await readCall(route, request, exchange);
      const answer = call instanceof Refusal ? call : await route.handle(call);
      if (answer instanceof Refusal) return refuse(exchange, answer);
      exchange.answer(answer.status, answer.headers, answer.body && JSON.stringify(answer.body));
    });
    if (!hadPlace) refuse(exchange, new Refusal("service_unavailable"));
  });
}

/** Everything that is looked at before the route does its work. */
async function readCall(
  { endpoint, check }: Route,
  request: RoutedRequest,
  exchange: Exchange,
): Promise<Call<Endpoint> | Refusal> {
  if (endpoint.listener === "operator" && !includesRole(exchange.operator?.role, endpoint.role))
    return new Refusal("forbidden");
  if (endpoint.listener === "merchant" && endpoint.method === "POST") {
    const key = readIdempotencyKey(request, concretePath(endpoint.path, request.params));
    if (key instanceof Refusal) return key;
    exchange.idempotency = key;
  }
  const query =
    endpoint.queryParameters && parseRequest(endpoint.queryParameters, parseQuery(queryText(request)));
  if (query instanceof Refusal) return query;
  const body = endpoint.request && (await readJson(exchange, endpoint.bodyOptional === true));
  if (body instanceof Refusal) return body;
  const parsed = endpoint.request && parseRequest(endpoint.request, body, check);
  if (parsed instanceof Refusal) return parsed;
  const path = endpoint.pathParameters && readPath(endpoint, endpoint.pathParameters, request, exchange);
  if (path instanceof Refusal) return path;
  const caller = exchange.merchant ?? exchange.operator;
  if (!caller) throw new Error(`${endpoint.path} was reached without a sign-in`);
  return { exchange, caller, path, query, body: parsed };
}

/** Comes last, as the look-up of an id does: what names nothing and what is unknown are one answer to any body. */
function readPath(
  { notFound }: Endpoint,
  schema: z.ZodObject,
  request: RoutedRequest,
  exchange: Exchange,
): Record<string, unknown> | Refusal {
  const path = parseRequest(schema, request.params);
  if (path instanceof Refusal) return notFound ? new Refusal(notFound) : path;
  // Only operators name a merchant in a path.
  if (typeof path["merchantId"] === "string") exchange.merchantId = path["merchantId"];
  return path;
}

/** The path with its ids, in lower case: an id is one id however it is spelled. */
function concretePath(template: string, params: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]?.toLowerCase() ?? "");
}

async function readJson(exchange: Exchange, optional: boolean): Promise<unknown> {
  if (optional && hasNoBody(exchange.req)) return {};
  const bytes = await readBody(exchange);
  return bytes instanceof Refusal ? bytes : parseJson(bytes);
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";
}

function includesRole(has: OperatorRole | undefined, needed: OperatorRole): boolean {
  return has !== undefined && OPERATOR_ROLES.indexOf(has) >= OPERATOR_ROLES.indexOf(needed);
}

function methodNotAllowed(path: string, allow: string): RequestHandler {
  return requestHandler(async (_request, exchange) => {
    exchange.route = path;
    refuse(exchange, new Refusal("method_not_allowed", { headers: { Allow: allow } }));
  });
}

function allowedMethods(routes: Route[]): string {
  const methods = routes.map(({ endpoint }) => endpoint.method as string);
  // express answers HEAD by the GET route.
  if (methods.includes("GET")) methods.push("HEAD");
  return methods.join(", ");
}

function methodOf({ method }: Endpoint) {
  return method.toLowerCase() as Lowercase<Endpoint["method"]>;
}
