import {
  idInMode,
  livemodeOf,
  staffEndpointOf,
  type Endpoint,
  type MessageContext,
} from "@holdfast/contracts";
import type { Answer, Call, Route } from "../endpoint/route.ts";
import type { Operator, Staff } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { z } from "zod";

/**
 * Routes of operators or merchants for a merchant's staff. The handler is the same, but gets the person's own
 * merchant instead of one from the request. Routes that are not for staff are left out.
 */
export function asStaff(routes: readonly Route[]): Route[] {
  return routes.flatMap((route) => {
    const { endpoint: original, check } = route;
    const endpoint = staffEndpointOf(original);
    if (endpoint === undefined) return [];
    const isMerchants = original.listener === "merchant";
    return {
      endpoint,
      check,
      ...(isMerchants && { keyIsKept: true as const }),
      handle: async (call) => {
        const staff = { ...signedIn(call), livemode: livemodeOf(queryOf(call).livemode) };
        call.exchange.staff = staff;
        const own = isMerchants ? merchantsCall(call, staff) : operatorsCall(call, staff, original);
        const answer = await route.handle(own);
        return answer instanceof Refusal ? answer : withOwnLocation(answer);
      },
    };
  });
}

type Query = Record<string, unknown> & { livemode?: "true" | "false" };

function queryOf({ query }: Call<Endpoint>): Query {
  return query ?? {};
}

function signedIn({ exchange }: Call<Endpoint>): Staff {
  if (!exchange.staff) throw new TypeError("a route of staff was reached by nobody");
  return exchange.staff;
}

/** The merchant's call, in the mode that is asked for; a merchant's routes know no other parameter for it. */
function merchantsCall(call: Call<Endpoint>, { person, merchantId, settings, livemode }: Staff) {
  const caller: MessageContext["merchant"] = {
    ...settings,
    merchantId: idInMode(merchantId, livemode),
    credentialIssuedBy: person,
  };
  const { livemode: _mode, ...query } = queryOf(call);
  return { ...call, caller, query };
}

/** The operator's call for this person, with the person's merchant wherever an operator would name one. */
function operatorsCall(call: Call<Endpoint>, staff: Staff, original: Endpoint) {
  const { subject, person, token, merchantId, livemode } = staff;
  const caller: Operator = { subject, person, token, roles: new Set(), staffOf: merchantId };
  const { pathParameters, queryParameters, request } = original;
  const { livemode: mode, ...query } = queryOf(call);
  return {
    ...call,
    caller,
    path: { ...call.path, ...(names(pathParameters, "merchantId") && { merchantId }) },
    query: {
      ...query,
      ...(names(queryParameters, "merchantId") && { merchantId }),
      ...(names(queryParameters, "livemode") && mode !== undefined && { livemode: mode }),
    },
    body: names(request, "merchantId") ? { ...(call.body as object), merchantId, livemode } : call.body,
  };
}

function names(schema: z.ZodType | undefined, field: "merchantId" | "livemode"): boolean {
  return schema instanceof z.ZodObject && field in schema.shape;
}

/** Rewrites the answer's Location to this listener. */
function withOwnLocation(answer: Answer<number>): Answer<number> {
  const { Location, ...headers } = answer.headers ?? {};
  if (Location === undefined) return answer;
  return {
    ...answer,
    headers: { ...headers, Location: Location.replace(/^\/(?:api|operator)\//, "/staff/") },
  };
}
