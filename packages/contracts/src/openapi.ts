import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { closeOperatorBodies } from "./close-operator-bodies.ts";
import { PAYMENT_STATUS_CHANGED } from "./messages/events.ts";
import { mayAct, OPERATOR_ROLES, type OperatorRole } from "./operator-role.ts";
import { PROBLEMS, problemSchema, type ProblemCode } from "./problem.ts";
import { apiPaymentResponseSchema } from "./http/api-payment-response.ts";
import { BODY_PROBLEMS, COMMON_PROBLEMS, OPERATOR_PROBLEMS, type Endpoint } from "./http/endpoint.ts";
import { ENDPOINTS } from "./http/endpoints.ts";
import { ROW_MEDIA_TYPES } from "./http/list-query.ts";

/** The OpenAPI 3.1 document of both APIs, as JSON text; `docs/openapi.json` is this. */
export function openApiJson(): string {
  const document = createDocument({
    openapi: "3.1.1",
    info: {
      title: "Holdfast",
      version: "0.1.0",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      description:
        "A card payment gateway that a company runs itself. Paths under `/api` are the merchant API, paths under " +
        "`/operator` the operator API, which is served on a port of its own. Both refuse query parameters that an " +
        "endpoint does not know (`unknown_parameter`). The operator API also refuses fields of a body that it does not " +
        "know (`unknown_field`); the merchant API ignores them.",
    },
    servers: [{ url: "{baseUrl}", variables: { baseUrl: { default: "http://localhost:8080" } } }],
    security: [{ apiKey: [], apiSecret: [] }],
    tags: [
      { name: "merchant", description: "Operations for merchants' servers" },
      { name: "operator", description: "Operations for the people who run the gateway" },
    ],
    paths: paths(),
    webhooks: {
      "payment.status_changed": {
        post: {
          operationId: "paymentStatusChanged",
          tags: ["merchant"],
          summary: "Payment or refund reached a final status",
          description:
            "Sent when a payment or refund reaches SUCCESS, FAILED, REJECTED or CANCELLED. A payment that " +
            "reached SUCCESS and is cancelled later sends another event.",
          security: [],
          requestParams: { header: webhookHeaders },
          requestBody: { content: { "application/json": { schema: apiPaymentResponseSchema } } },
          responses: {
            "200": {
              description:
                "Any 2xx status within 5 seconds acknowledges the event; after any other answer it is sent " +
                "again, for up to 48 hours",
            },
          },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-KEY" },
        apiSecret: { type: "apiKey", in: "header", name: "X-API-SECRET" },
        operatorToken: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
      },
    },
  });
  closeOperatorBodies(document);
  return `${JSON.stringify(document, null, 2)}\n`;
}

const webhookHeaders = z.object({
  "x-request-time": z.string().meta({ description: "Unix time of this attempt, in milliseconds" }),
  "x-request-signature": z.string().meta({
    description: "HMAC-SHA-256 of `{x-request-time}:{raw body}` with the webhook secret, in lower-case hex",
  }),
  "x-request-signature-next": z
    .string()
    .optional()
    .meta({ description: "Present while a new secret waits to be activated: the HMAC with that secret" }),
  "content-digest": z.string().meta({
    description: "SHA-256 of the body (RFC 9530); it distinguishes a changed body from a wrong secret",
  }),
  "x-event-id": z
    .uuid()
    .meta({ description: "Id of the event, the same on every attempt; use it to discard duplicates" }),
  "x-event-type": z.literal(PAYMENT_STATUS_CHANGED),
});

function paths(): ZodOpenApiPathsObject {
  const result: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of ENDPOINTS) {
    (result[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return result;
}

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId, listener, summary, description, role, request, pathParameters, queryParameters } =
    endpoint;
  return {
    operationId,
    tags: [listener],
    summary,
    ...((description ?? role) !== undefined && {
      description: [description, role && requirement(role)].filter(Boolean).join(" "),
    }),
    ...(listener === "operator" && { security: [{ operatorToken: [] }] }),
    requestParams: {
      ...(pathParameters && { path: pathParameters }),
      ...(queryParameters && { query: queryParameters }),
    },
    ...(request && {
      requestBody: {
        required: endpoint.bodyOptional !== true,
        content: { "application/json": { schema: request } },
      },
    }),
    responses: { ...successes(endpoint), ...problems(problemsOf(endpoint)) },
  };
}

/** Each of the roles is enough. */
function requirement(role: OperatorRole): string {
  const enough = OPERATOR_ROLES.filter((one) => mayAct(new Set([one]), role));
  return enough.length === OPERATOR_ROLES.length
    ? "Requires any role."
    : `Requires the role ${enough.map((one) => `\`${one}\``).join(" or ")}.`;
}

function problemsOf({ listener, method, problems: own }: Endpoint): ProblemCode[] {
  if (listener !== "operator") return [...new Set([...own, ...COMMON_PROBLEMS])];
  // A change without fields refuses a body that has some.
  const ofBody = method === "GET" ? [] : BODY_PROBLEMS;
  return [...new Set([...own, ...ofBody, ...COMMON_PROBLEMS, ...OPERATOR_PROBLEMS])];
}

/** Of the merchant API's answers after the sign-in, refusals included. */
const RATE_LIMIT_HEADERS = {
  "RateLimit-Policy":
    'Number of requests (`q`) allowed in a number of seconds (`w`), such as `"merchant";q=100;w=1`',
  RateLimit: "Remaining requests (`r`) and the seconds until the whole quota is available again (`t`)",
};

function successes({ listener, responses }: Endpoint): ZodOpenApiOperationObject["responses"] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, body, rows, headers = {} }]) => [
      status,
      {
        description,
        ...(body && { content: { "application/json": { schema: body }, ...(rows && ROW_CONTENT) } }),
        headers: Object.fromEntries(
          Object.entries({
            "X-Request-Id": "Id of this request; name it when you ask for support",
            ...(listener === "merchant" && RATE_LIMIT_HEADERS),
            ...headers,
          }).map(([name, text]) => [name, { description: text, schema: { type: "string" as const } }]),
        ),
      },
    ]),
  );
}

const ROW_CONTENT = Object.fromEntries(
  Object.entries(ROW_MEDIA_TYPES).map(([mediaType, description]) => [
    mediaType,
    { schema: { type: "string" as const, description } },
  ]),
);

function problems(codes: readonly ProblemCode[]): ZodOpenApiOperationObject["responses"] {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      {
        description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join("; "),
        content: { "application/problem+json": { schema: problemSchema } },
      },
    ]),
  );
}
