import { z } from "zod";
import type { ProblemCode } from "../problem-codes.ts";
import type { OperatorRole } from "../operator-role.ts";
import type { StaffRole } from "../staff-role.ts";
import type { Work } from "../work.ts";

/** One HTTP operation of a listener: what the gateway serves and what the OpenAPI document says of it. */
export type Endpoint = Operation & (MerchantListener | OperatorListener | StaffListener);

/** Which of the gateway's listeners serves it. */
type MerchantListener = { listener: "merchant"; role?: never; recentSignIn?: never };
type OperatorListener = {
  listener: "operator";
  /** What its caller has to be; see `mayAct`. */
  role: OperatorRole;
  /** Whether it takes a recent sign-in, as decisions about money do. */
  recentSignIn?: true;
};

type StaffListener = {
  listener: "staff";
  /** The same; see `staffMayAct`. */
  role: StaffRole;
  recentSignIn?: true;
};

type Operation = {
  operationId: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces: `/api/payment/{paymentId}`. */
  path: string;
  /** Whether each request is carried out, whatever its Idempotency-Key. */
  carriedOutEachTime?: true;
  /** Where nothing is said, a GET is `read`, and everything else `external`. */
  work?: Work;
  summary: string;
  description?: string;
  pathParameters?: z.ZodObject;
  /**
   * The problem of a path whose parameters cannot name anything: the same as of one that names nothing. Without it the
   * answer is `validation_failed`, with the faults of the parameters.
   */
  notFound?: ProblemCode;
  queryParameters?: z.ZodObject;
  request?: z.ZodType;
  /** In the place of a body of JSON: the one part of a form, which is read as it arrives. */
  file?: { part: string; description: string };
  /** Whether a request without a body counts as an empty object. */
  bodyOptional?: boolean;
  responses: Record<number, EndpointResponse>;
  /** Beside those every endpoint can answer with (see `COMMON_PROBLEMS`). */
  problems: readonly ProblemCode[];
};

type EndpointResponse = {
  description: string;
  body?: z.ZodType;
  /** Whether the items of the body's page also come as rows, in one answer (`ROW_MEDIA_TYPES`). */
  rows?: boolean;
  /** Whether the body also comes as a page for people (`PAGE_MEDIA_TYPE`). */
  printed?: boolean;
  /** In the place of a body of JSON: bytes that are to be stored and not shown; what they are. */
  binary?: string;
  headers?: Record<string, string>;
};

/** What a request of this endpoint waits for. */
export function workOf({ method, work = method === "GET" ? "read" : "external" }: Endpoint): Work {
  return work;
}

/** What any endpoint can answer. */
export const COMMON_PROBLEMS = [
  "unauthorized",
  "internal_error",
  "service_unavailable",
  "rate_limited",
  // A query parameter that the endpoint does not know.
  "validation_failed",
] as const;

/** What any endpoint of the operator API, or of that for staff, can answer beside those. */
export const OPERATOR_PROBLEMS = ["operator_refused"] as const;

/** What an endpoint can answer beside those that takes a recent sign-in. */
export const RECENT_SIGN_IN_PROBLEMS = ["insufficient_user_authentication"] as const;

/** Whether people call it, each in their own name: operators, or merchants' staff. */
export function isForPeople({ listener }: Pick<Endpoint, "listener">): boolean {
  return listener !== "merchant";
}

/** What any endpoint with a body can answer. */
export const BODY_PROBLEMS = [
  "malformed_json",
  "validation_failed",
  "unsupported_media_type",
  "payload_too_large",
] as const;

/** Whether its requests can carry an Idempotency-Key: merchants' POSTs, and what people change. */
export function takesIdempotencyKey(endpoint: Pick<Endpoint, "listener" | "method">): boolean {
  const { method } = endpoint;
  return method === "POST" || (isForPeople(endpoint) && (method === "PUT" || method === "PATCH"));
}

/** What such a request can answer when it comes with one. */
export const IDEMPOTENCY_PROBLEMS = ["idempotency_key_in_use", "idempotency_key_reused"] as const;

/** What any endpoint that starts a payment with a card can answer. */
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

/** A secret in an answer. What is kept for repetitions under an Idempotency-Key does not have it. */
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

/** How many entries a page has at most. */
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

/** Where a list continues. What is not of this form, or was made by another list, is refused as `invalid_cursor`. */
export function cursorParameter(max: number) {
  return z
    .string()
    .max(max)
    .optional()
    .meta({ pattern: "^[A-Za-z0-9_-]+$", description: "`nextCursor` of the page before" });
}

/** `notFound` is one of the problems that the document lists. */
export function defineEndpoint<const E extends Endpoint>(
  endpoint: E & { notFound?: E["problems"][number] },
): E {
  return endpoint;
}
