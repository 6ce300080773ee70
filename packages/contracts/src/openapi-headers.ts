import { takesIdempotencyKey, type Endpoint } from "./http/endpoint.ts";

type Header = {
  description: string;
  schema: { type: "string" | "integer"; pattern?: string };
  example: string | number;
};

/** Every header of an answer that a client can act on; the operations refer to them. */
export const HEADERS = {
  "X-Request-Id": {
    description: "Id of this request; name it when you ask for support",
    schema: { type: "string" },
    example: "0199a6c2-7d1e-7c55-9d4b-0b6a5f3c2e11",
  },
  "Retry-After": {
    description: "Seconds to wait before the request is sent again, or before its outcome is looked up",
    schema: { type: "integer" },
    example: 10,
  },
  "Idempotent-Replayed": {
    description: "`true` where this is the stored answer of an earlier request with the same Idempotency-Key",
    schema: { type: "string" },
    example: "true",
  },
  "RateLimit-Policy": {
    description:
      'Number of requests (`q`) allowed in a number of seconds (`w`), such as `"merchant";q=100;w=1`',
    schema: { type: "string" },
    example: '"merchant";q=100;w=1',
  },
  RateLimit: {
    description: "Remaining requests (`r`) and the seconds until the whole quota is available again (`t`)",
    schema: { type: "string" },
    example: '"merchant";r=99;t=1',
  },
  "WWW-Authenticate": {
    description: "How to sign in",
    schema: { type: "string" },
    example: "ApiKey",
  },
  Location: {
    description: "Path at which what was created can be looked up",
    schema: { type: "string" },
    example: "/api/payment/0199a6c2-7d1e-7c55-9d4b-0b6a5f3c2e11",
  },
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;

/** The headers of a success, as references. */
export function headersOfSuccess(endpoint: Endpoint, own: readonly string[]): References {
  return references([
    "X-Request-Id",
    ...(endpoint.listener !== "operator" ? RATE_LIMIT : []),
    ...(takesIdempotencyKey(endpoint) && !endpoint.carriedOutEachTime
      ? (["Idempotent-Replayed"] as const)
      : []),
    ...own.map(headerName),
  ]);
}

/** The headers of an error, as references. */
export function headersOfProblem({ listener }: Endpoint, status: number): References {
  return references([
    "X-Request-Id",
    // A caller who has not signed in has no quota of requests.
    ...(listener !== "operator" && status !== 401 ? RATE_LIMIT : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(WITH_RETRY_AFTER.has(status) ? (["Retry-After"] as const) : []),
  ]);
}

const RATE_LIMIT = ["RateLimit-Policy", "RateLimit"] as const;
/** Includes 409, which has the header where it passes by itself. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503, 504]);

type References = Record<string, { $ref: string }>;

function references(names: readonly HeaderName[]): References {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headerName(name: string): HeaderName {
  if (name in HEADERS) return name as HeaderName;
  throw new Error(`the document describes no header ${name}`);
}
