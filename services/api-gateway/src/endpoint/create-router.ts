import { parse as parseQuery } from "node:querystring";
import type { IncomingMessage } from "node:http";
import {
  isForPeople,
  isLive,
  mayAct,
  staffMayAct,
  takesIdempotencyKey,
  workOf,
  type Endpoint,
  type Permits,
} from "@holdfast/contracts";
import { Router } from "express";
import { z } from "zod";
import type { BodyLimit } from "../limits/body-limit.ts";
import { createInFlightLimit, type InFlightLimit } from "../limits/in-flight-limit.ts";
import type { LimitRate } from "../limits/merchant-rate-limit.ts";
import type { Exchange } from "../http/exchange.ts";
import type { CarryOutOnce } from "../operator-keys/carry-out-once.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import type { NoteExport } from "./note-export.ts";
import { parseJson } from "./parse-json.ts";
import { parseRequest } from "./parse-request.ts";
import { refuse } from "../http/problem-response.ts";
import { queryText, requestHandler, type RoutedHandler, type RoutedRequest } from "../http/routed-request.ts";
import { readBody } from "../http/read-body.ts";
import { Refusal } from "../http/refusal.ts";
import type { RefusedAttempts } from "../limits/refused-attempts.ts";
import type { Call, Route } from "./route.ts";

/** Sets who signed in, or refuses. It reads headers only. */
export type Authenticate = (request: IncomingMessage, exchange: Exchange) => Promise<Refusal | undefined>;

export type RouterOptions = {
  /** Everything under this path needs a sign-in, even routes that do not exist. */
  prefix: string;
  authenticate: Authenticate;
  /** Counts requests that are signed in, even of routes that do not exist. */
  limitRate?: LimitRate;
  routes: Route[];
  /** Bodies that arrive at the same time. */
  bodies: BodyLimit;
  /** The most simultaneous requests whose bodies have arrived; one more is refused as not started. */
  permits: Permits;
  /** Writes down and bounds people's attempts without authority. */
  refusedAttempts?: RefusedAttempts;
  /** Writes down people's exports. */
  noteExport?: NoteExport;
  /**
   * Carries out people's requests once for each key; services that carry out merchants' requests keep merchants' keys.
   */
  carryOutOnce?: CarryOutOnce;
  /** The share of the permits that one merchant, with its staff, or one operator may have. */
  share: number;
};

/**
 * Checks a request in this order: its sender, the sender's rate limit, the route and method, the roles and
 * the time of the sign-in, its body, the ids in its path, and last a free permit. The permit is taken only
 * after the body has arrived: otherwise requests that arrive byte by byte, which cost their sender nothing,
 * would use up the permits.
 *
 * express's Router matches the paths, and nothing else of express is used (docs/adr/0008).
 */
export function createRouter({ prefix, authenticate, limitRate, routes, ...limits }: RouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(
    prefix,
    requestHandler(async (request, exchange, next) => {
      const refusal = (await authenticate(request, exchange)) ?? limitRate?.(exchange);
      if (refusal) refuse(exchange, refusal);
      else next();
    }),
  );
  const withPermit = createInFlightLimit(limits.permits, limits.share);
  // A brace follows every letter, so a literal segment stands before a parameter in its place.
  const byPath = [...Map.groupBy(routes, ({ endpoint }) => endpoint.path)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  for (const [path, routesHere] of byPath) {
    const expressRoute = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
    for (const route of routesHere)
      expressRoute[methodOf(route.endpoint)](routeHandler(route, withPermit, limits));
    expressRoute.all(methodNotAllowed(path, allowedMethods(routesHere)));
  }
  return router;
}

type Limits = Pick<RouterOptions, "bodies" | "refusedAttempts" | "noteExport" | "carryOutOnce">;

function routeHandler(
  route: Route,
  withPermit: InFlightLimit,
  { bodies, refusedAttempts: attempts, noteExport, carryOutOnce = carryOut }: Limits,
): RoutedHandler {
  return requestHandler(async (request, exchange) => {
    const { endpoint } = route;
    exchange.route = endpoint.path;
    const refusal =
      (endpoint.method !== "GET" && attempts?.locked(exchange)) ||
      (await refuseByRole(endpoint, request, exchange, attempts));
    const call = refusal ?? (await readCall(route, request, exchange, bodies));
    if (call instanceof Refusal) return refuse(exchange, call);
    const hadPermit = await withPermit(workOf(endpoint), clientOf(exchange), async () => {
      const handle = () => route.handle(call);
      const answer = await (route.keyIsKept ? handle() : carryOutOnce(endpoint, call, handle));
      if (answer instanceof Refusal) {
        attempts?.count(exchange, answer.code);
        return refuse(exchange, answer);
      }
      const { status, headers, body, rows } = answer;
      if (rows) {
        if (isExport(endpoint)) await noteExport?.(endpoint, call);
        await exchange.answerInPieces(status, headers, rows());
      } else exchange.answer(status, headers, body && JSON.stringify(body));
    });
    if (!hadPermit) refuse(exchange, new Refusal("service_unavailable"));
  });
}

function isExport({ responses }: Endpoint): boolean {
  return Object.values(responses).some(({ rows }) => rows === true);
}

const carryOut: CarryOutOnce = (_endpoint, _call, handle) => handle();

/** The refusal of what the person's roles do not allow, or for which they signed in too long ago. */
async function refuseByRole(
  endpoint: Endpoint,
  request: RoutedRequest,
  exchange: Exchange,
  attempts: RefusedAttempts | undefined,
): Promise<Refusal | undefined> {
  if (isAllowed(endpoint, exchange)) return refuseStaleSignIn(endpoint, exchange);
  return (await attempts?.forbid(exchange, endpoint, request)) ?? new Refusal("forbidden");
}

/** Refuses an old sign-in. This is no attempt without authority: a new sign-in is enough. */
function refuseStaleSignIn({ recentSignIn }: Endpoint, { person }: Exchange): Refusal | undefined {
  if (!recentSignIn || !person?.staleSignIn) return undefined;
  return new Refusal("insufficient_user_authentication", { members: { maxAge: person.staleSignIn.maxAgeS } });
}

function isAllowed(endpoint: Endpoint, { operator, staff }: Exchange): boolean {
  switch (endpoint.listener) {
    case "merchant":
      return true;
    case "operator":
      return operator !== undefined && mayAct(operator.roles, endpoint.role);
    case "staff":
      return staff !== undefined && staffMayAct(staff.roles, endpoint.role);
    default:
      return endpoint satisfies never;
  }
}

/** The client whose share of permits and bodies a request takes. */
function clientOf({ merchant, operator, staff }: Exchange): string {
  return merchant?.merchantId ?? staff?.merchantId ?? operator?.subject ?? "";
}

/** Checks everything else before the route does its work. */
async function readCall(
  { endpoint, check }: Route,
  request: RoutedRequest,
  exchange: Exchange,
  bodies: BodyLimit,
): Promise<Call<Endpoint> | Refusal> {
  if (takesIdempotencyKey(endpoint)) {
    const key = readIdempotencyKey(request, concretePath(endpoint.path, request.params));
    if (key instanceof Refusal) return key;
    exchange.idempotency = key;
  }
  const query = readQuery(endpoint, request);
  if (query instanceof Refusal) return query;
  const body = await readRequestBody({ endpoint, check }, exchange, bodies);
  if (body instanceof Refusal) return body;
  const path = endpoint.pathParameters && readPath(endpoint, endpoint.pathParameters, request, exchange);
  if (path instanceof Refusal) return path;
  const caller = exchange.merchant ?? exchange.person;
  if (!caller) throw new Error(`${endpoint.path} was reached without a sign-in`);
  return { exchange, caller, path, query, body };
}

/** A parameter that the endpoint does not know is refused: ignored, it would answer another question than was asked. */
function readQuery(
  { queryParameters }: Endpoint,
  request: RoutedRequest,
): Record<string, unknown> | Refusal | undefined {
  const text = queryText(request);
  if (queryParameters === undefined && text === "") return undefined;
  return parseRequest(queryParameters ?? NOTHING, parseQuery(text), { unknown: "unknown_parameter" });
}

/**
 * Reads the body. The merchant API ignores unknown fields, as its contract says. The other APIs refuse them,
 * even in a request that has no fields at all: people set protections, prices and decisions there, and a
 * misspelled field would count as absent.
 */
async function readRequestBody(
  { endpoint, check }: Pick<Route, "endpoint" | "check">,
  exchange: Exchange,
  bodies: BodyLimit,
): Promise<unknown> {
  const { method, request, bodyOptional } = endpoint;
  // The route reads the file as it arrives.
  if (endpoint.file) return undefined;
  const isPeoples = isForPeople(endpoint);
  const schema = request ?? (isPeoples && method !== "GET" ? NOTHING : undefined);
  if (schema === undefined) return undefined;
  const body = await readJson(exchange, bodies, bodyOptional === true || schema === NOTHING);
  if (body instanceof Refusal) return body;
  const livemode = isLive(exchange.merchant?.merchantId ?? "");
  return parseRequest(schema, body, { check, livemode, ...(isPeoples && { unknown: "unknown_field" }) });
}

const NOTHING = z.object({});

/**
 * The path's ids are checked last, like the look-up of an id: a malformed id and an unknown one get the same
 * answers.
 */
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

async function readJson(exchange: Exchange, limit: BodyLimit, optional: boolean): Promise<unknown> {
  if (optional && hasNoBody(exchange.req)) return {};
  const bytes = await readBody(exchange, { limit, client: clientOf(exchange) });
  return bytes instanceof Refusal ? bytes : parseJson(bytes);
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";
}

function methodNotAllowed(path: string, allow: string): RoutedHandler {
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
