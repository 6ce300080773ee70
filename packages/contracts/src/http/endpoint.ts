import { z } from "zod";
import type { ProblemCode } from "../problem-codes.ts";
import type { OperatorRole } from "../operator-role.ts";
import type { StaffRole } from "../staff-role.ts";
import type { Work } from "../work.ts";

/** One HTTP operation of a listener, for the gateway that serves it and for the OpenAPI document. */
export type Endpoint = EndpointFields & { operationId: string } & (
    | MerchantListener
    | OperatorListener
    | StaffListener
  );

/** The one of the gateway's listeners that serves the endpoint. */
type MerchantListener = { listener: "merchant"; role?: never; recentSignIn?: never };
type OperatorListener = {
  listener: "operator";
  /** The role that its caller needs; see `mayAct`. */
  role: OperatorRole;
  /** Requires a recent sign-in, as decisions about money do. */
  recentSignIn?: true;
};

type StaffListener = {
  listener: "staff";
  /** The role that its caller needs; see `staffMayAct`. */
  role: StaffRole;
  recentSignIn?: true;
};

/** The fields of every endpoint, whoever calls it. */
export type EndpointFields = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with parameters in braces: `/api/payment/{paymentId}`. */
  path: string;
  /** Has each request carried out, also a second one with the same Idempotency-Key. */
  carriedOutEachTime?: true;
  /** The default is `read` for a GET, and `external` for everything else. */
  work?: Work;
  summary: string;
  description?: string;
  pathParameters?: z.ZodObject;
  /**
   * The problem of a path with malformed parameters, which is the problem of an unknown name. If absent, the
   * answer is `validation_failed` with the faults of the parameters.
   */
  notFound?: ProblemCode;
  queryParameters?: z.ZodObject;
  request?: z.ZodType;
  /** The one part of a form, which is read as it arrives, in the place of a body of JSON. */
  file?: { part: string; description: string };
  /** Lets a request without a body count as an empty object. */
  bodyOptional?: boolean;
  responses: Record<number, EndpointResponse>;
  /** The problems in addition to those of every endpoint (see `COMMON_PROBLEMS`). */
  problems: readonly ProblemCode[];
};

type EndpointResponse = {
  description: string;
  body?: z.ZodType;
  /** Offers the items of the body's page also as rows, in one answer (`ROW_MEDIA_TYPES`). */
  rows?: boolean;
  /** Offers the body also as a page for people (`PAGE_MEDIA_TYPE`). */
  printed?: boolean;
  /** The name of bytes that are to be stored and not shown, in the place of a body of JSON. */
  binary?: string;
  headers?: Record<string, string>;
};

/** The kind of work that a request of this endpoint is. */
export function workOf({
  method,
  work = method === "GET" ? "read" : "external",
}: Pick<Endpoint, "method" | "work">): Work {
  return work;
}

/** The problems of any endpoint. */
export const COMMON_PROBLEMS = [
  "unauthorized",
  "internal_error",
  "service_unavailable",
  "rate_limited",
  // A query parameter that the endpoint does not know.
  "validation_failed",
] as const;

/** Further problems of any endpoint of the operator API or of the staff API. */
export const OPERATOR_PROBLEMS = ["operator_refused"] as const;

/** Further problems of an endpoint that requires a recent sign-in. */
export const RECENT_SIGN_IN_PROBLEMS = ["insufficient_user_authentication"] as const;

/** True if people call it, each in their own name: operators, or merchants' staff. */
export function isForPeople({ listener }: Pick<Endpoint, "listener">): boolean {
  return listener !== "merchant";
}

/** The problems of any endpoint with a body. */
export const BODY_PROBLEMS = [
  "malformed_json",
  "validation_failed",
  "unsupported_media_type",
  "payload_too_large",
] as const;

/** True if its requests can carry an Idempotency-Key: merchants' POSTs, and people's changes. */
export function takesIdempotencyKey(endpoint: Pick<Endpoint, "listener" | "method">): boolean {
  const { method } = endpoint;
  return method === "POST" || (isForPeople(endpoint) && (method === "PUT" || method === "PATCH"));
}

/** The problems of a request that carries an Idempotency-Key. */
export const IDEMPOTENCY_PROBLEMS = ["idempotency_key_in_use", "idempotency_key_reused"] as const;

/** The problems of any endpoint that starts a payment with a card. */
export const CARD_PAYMENT_PROBLEMS = [
  ...BODY_PROBLEMS,
  ...IDEMPOTENCY_PROBLEMS,
  "no_acquirer_account",
  "bank_requires_field",
  "order_undecided",
  "outcome_unknown",
] as const;

/** An id in a path. */
export function pathId(description: string) {
  return z.uuid().meta({ description });
}

/** A secret in an answer. The answer that is kept for repetitions under an Idempotency-Key does not have it. */
export function shownOnceSchema(description: string) {
  return z
    .string()
    .optional()
    .meta({
      description: `${description}. Shown only once: a repetition under the same Idempotency-Key does not have it`,
      [SHOWN_ONCE]: true,
    });
}

const SHOWN_ONCE = "x-shown-once";

/** The members of an endpoint's answers that are such secrets. */
export function shownOnceIn({ responses }: Pick<Endpoint, "responses">): string[] {
  return Object.values(responses).flatMap(({ body }) =>
    body instanceof z.ZodObject
      ? Object.keys(body.shape).filter(
          (name) => (body.shape[name] as z.ZodType).meta()?.[SHOWN_ONCE] === true,
        )
      : [],
  );
}

/** A parameter that narrows a list. */
export function only<Schema extends z.ZodType>(what: string, schema: Schema) {
  return schema.optional().meta({ description: `Only ${what}` });
}

/** The most entries of a page. */
export const limitParameter = z
  .string()
  .regex(/^([1-9]\d?|1\d\d|200)$/, { error: "must be 1 to 200" })
  .optional()
  .meta({
    description: "Number of entries on a page",
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: "integer", minimum: 1, maximum: 200, default: 50 });
    },
  });

/** The place where a list continues. A cursor of another form or of another list is refused as `invalid_cursor`. */
export function cursorParameter(max: number) {
  return z
    .string()
    .max(max)
    .optional()
    .meta({ pattern: "^[A-Za-z0-9_-]+$", description: "`nextCursor` of the page before" });
}
