import { parse as parseQuery } from "node:querystring";
import type { IncomingMessage } from "node:http";
import { mayAct, workOf, type Endpoint, type Places } from "@holdfast/contracts";
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

/** Sets who signed in, or refuses. It reads headers only. */
export type Authenticate = (request: IncomingMessage, exchange: Exchange) => Promise<Refusal | undefined>;

type OnForbidden = (exchange: Exchange, endpoint: Endpoint) => Promise<void>;

export type RouterOptions = {
  /** Everything under this path needs a sign-in, even routes that do not exist. */
  prefix: string;
  authenticate: Authenticate;
  /** Counts requests that are signed in, even of routes that do not exist. */
  limitRate?: LimitRate;
  /** Called for an operator whose roles do not allow the request, before the answer says so. */
  onForbidden?: OnForbidden;
  routes: Route[];
  /** Requests at the same time; one more is refused as not started. */
  places: Places;
};

/**
 * Checks a request in this order: who sends it, whether that is too often, whether there is such a route and method,
 * whether there is a place for it, whether the roles allow it, then its body, and last the ids in its path.
 *
 * express's Router matches the paths, and nothing else of express is used: its application changes the prototype of each
 * request and response and adds headers that would have to be removed again, and what HTTP cannot parse would not reach
 * it, where every answer here has a request id (ADR 0017).
 */
export function createRouter({
  prefix,
  authenticate,
  limitRate,
  onForbidden,
  routes,
  places,
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
  const inPlace = createInFlightLimit(places);
  for (const [path, routesHere] of Map.groupBy(routes, ({ endpoint }) => endpoint.path)) {
    const expressRoute = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
    for (const route of routesHere)
      expressRoute[methodOf(route.endpoint)](routeHandler(route, inPlace, onForbidden));
    expressRoute.all(methodNotAllowed(path, allowedMethods(routesHere)));
  }
  return router;
}

function mayCall({ listener, role }: Endpoint, { operator }: Exchange): boolean {
  return listener !== "operator" || (operator !== undefined && mayAct(operator.roles, role));
}

function routeHandler(route: Route, inPlace: InFlightLimit, onForbidden?: OnForbidden): RequestHandler {
  return requestHandler(async (request, exchange) => {
    exchange.route = route.endpoint.path;
    const hadPlace = await inPlace(workOf(route.endpoint), async () => {
      if (!mayCall(route.endpoint, exchange)) {
        await onForbidden?.(exchange, route.endpoint);
        return refuse(exchange, new Refusal("forbidden"));
      }
      const call = await readCall(route, request, exchange);
      const answer = call instanceof Refusal ? call : await route.handle(call);
      if (answer instanceof Refusal) return refuse(exchange, answer);
      exchange.answer(answer.status, answer.headers, answer.body && JSON.stringify(answer.body));
    });
    if (!hadPlace) refuse(exchange, new Refusal("service_unavailable"));
  });
}

/** Everything that is checked before the route does its work. */
async function readCall(
  { endpoint, check }: Route,
  request: RoutedRequest,
  exchange: Exchange,
): Promise<Call<Endpoint> | Refusal> {
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

/** The path comes last, as the look-up of an id does: one that names nothing and an unknown id get the same answers. */
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

/** The path with its ids in lower case: an id is the same id however it is spelled. */
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
