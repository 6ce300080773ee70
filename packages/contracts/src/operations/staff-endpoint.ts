import { z } from "zod";
import { livemodeParameter } from "../livemode.ts";
import type { StaffRole } from "../staff-role.ts";
import type { Endpoint } from "../http/endpoint.ts";

/**
 * The endpoints of a merchant's staff. They are the endpoints of operators and merchants, about the person's
 * own merchant, which nothing in a request can name (docs/adr/0047). Only the differences are here.
 */

export type Difference = {
  operationId: string;
  role: StaffRole;
  recentSignIn?: true;
  path: string;
  summary: string;
  description: string;
  /** `none` if both modes are meant, or the body names one. */
  mode?: "none";
};

/** The bodies and parameters that name a merchant, without it. */
const NAMES_OF_MERCHANTS = ["merchantId", "livemode", "unresolved"] as const;

/** The staff's endpoint that does the same as this one. */
export function staffEndpoint(of: Endpoint, { mode, ...difference }: Difference): Endpoint {
  const { role: _role, recentSignIn: _recent, pathParameters, queryParameters, request, ...rest } = of;
  const { problems, responses, ...same } = rest;
  const path = pathParameters && without(pathParameters, ["merchantId"]);
  const query = z.object({
    ...(queryParameters && without(queryParameters, NAMES_OF_MERCHANTS).shape),
    ...(mode !== "none" && { livemode: livemodeParameter }),
  });
  return {
    ...same,
    ...difference,
    listener: "staff",
    ...(path && Object.keys(path.shape).length > 0 && { pathParameters: path }),
    ...(Object.keys(query.shape).length > 0 && { queryParameters: query }),
    ...(request && { request: mode === "none" ? request : ownRequest(request) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { headers, ...response }]) => [
        status,
        { ...response, ...(headers && { headers: ownPaths(headers) }) },
      ]),
    ),
    problems: [...new Set([...problems, "forbidden" as const])],
  };
}

function without(schema: z.ZodObject, names: readonly string[]): z.ZodObject {
  return z.object(Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !names.includes(name))));
}

/** A body without the merchant that it names; any other body unchanged. */
function ownRequest(request: z.ZodType): z.ZodType {
  const namesOne = request instanceof z.ZodObject && "merchantId" in request.shape;
  return namesOne ? without(request, NAMES_OF_MERCHANTS) : request;
}

/** The paths that answers name, on this listener. */
function ownPaths(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/^\/(?:api|operator)\//, "/staff/")]),
  );
}
