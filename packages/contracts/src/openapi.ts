import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { WEBHOOKS } from "./openapi-webhooks.ts";
import { closeBodies } from "./close-bodies.ts";
import { mayAct, OPERATOR_ROLES } from "./operator-role.ts";
import { STAFF_ROLES, staffMayAct } from "./staff-role.ts";
import { PROBLEMS, type ProblemCode } from "./problem-codes.ts";
import { problemSchema } from "./problem.ts";
import {
  BODY_PROBLEMS,
  COMMON_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  isForPeople,
  OPERATOR_PROBLEMS,
  RECENT_SIGN_IN_PROBLEMS,
  takesIdempotencyKey,
  type Endpoint,
} from "./http/endpoint.ts";
import { ENDPOINTS } from "./operations/endpoints.ts";
import { PAGE_MEDIA_TYPE, ROW_MEDIA_TYPES } from "./http/list-query.ts";
import { ANSWER_EXAMPLES, REQUEST_EXAMPLES } from "./openapi-examples.ts";
import { HEADERS, headersOfProblem, headersOfSuccess } from "./openapi-headers.ts";
import { INFO } from "./openapi-info.ts";
import { linksOf } from "./openapi-links.ts";
import { dropNoise } from "./openapi-noise.ts";
import { MERCHANT_TAGS, tagOf } from "./openapi-tags.ts";

/** The API that a document describes: each listener has its own. */
export type DocumentedListener = Endpoint["listener"];

/** The OpenAPI 3.1 document of one API, as JSON text. `docs/openapi.merchant.json` is the merchants'. */
export function openApiJson(listener: DocumentedListener): string {
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: {
        version: "0.1.0",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
        ...INFO[listener],
      },
      servers: [{ url: "{baseUrl}", variables: { baseUrl: { default: DEFAULT_URLS[listener] } } }],
      security: [SECURITY[listener]],
      ...(listener === "merchant" && { tags: [...MERCHANT_TAGS] }),
      paths: paths(listener),
      ...(listener === "merchant" && { webhooks: WEBHOOKS }),
      components: { securitySchemes: SECURITY_SCHEMES[listener], headers: headersIn(listener) },
    },
    {
      override: ({ jsonSchema, io }) => {
        // A later gateway may answer with more fields than this document has.
        if (io === "output") delete jsonSchema.additionalProperties;
        dropNoise(jsonSchema);
      },
    },
  );
  if (isForPeople({ listener })) closeBodies(document);
  return `${JSON.stringify(document, null, 2)}\n`;
}

const DEFAULT_URLS = {
  merchant: "http://localhost:8080",
  operator: "http://localhost:8081",
  staff: "http://localhost:8085",
} as const;

const SECURITY: Readonly<Record<DocumentedListener, Record<string, string[]>>> = {
  merchant: { apiKey: [], apiSecret: [] },
  operator: { operatorToken: [] },
  staff: { staffToken: [] },
};

const SECURITY_SCHEMES = {
  merchant: {
    apiKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "The merchant's API key" },
    apiSecret: { type: "apiKey", in: "header", name: "X-API-SECRET", description: "The secret of that key" },
  },
  operator: {
    operatorToken: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "An access token of the company's identity provider",
    },
  },
  staff: {
    staffToken: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "An access token of the identity provider for merchants' staff, which names the merchant",
    },
  },
} as const;

/** Describes only the headers in use, as linters require. */
function headersIn(listener: DocumentedListener) {
  const limited = new Set(["RateLimit", "RateLimit-Policy"]);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => listener !== "operator" || !limited.has(name)),
  );
}

function paths(listener: DocumentedListener): ZodOpenApiPathsObject {
  const result: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of ENDPOINTS) {
    if (endpoint.listener !== listener) continue;
    (result[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return result;
}

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId, summary, description, request, file, pathParameters, queryParameters } = endpoint;
  return {
    operationId,
    summary,
    ...(endpoint.listener === "merchant" && { tags: [tagOf(endpoint)] }),
    ...((description ?? endpoint.role) !== undefined && {
      description: [description, requirement(endpoint)].filter(Boolean).join(" "),
    }),
    requestParams: {
      ...(pathParameters && { path: pathParameters }),
      ...(queryParameters && { query: queryParameters }),
      ...(takesIdempotencyKey(endpoint) && { header: idempotencyHeader(endpoint) }),
    },
    ...(request && {
      requestBody: {
        required: endpoint.bodyOptional !== true,
        content: { "application/json": { schema: request, ...exampleOf(REQUEST_EXAMPLES[operationId]) } },
      },
    }),
    ...(file && {
      requestBody: {
        required: true,
        content: { "multipart/form-data": { schema: formOf(file) } },
      },
    }),
    responses: { ...successes(endpoint), ...problems(endpoint) },
  };
}

function formOf({ part, description }: NonNullable<Endpoint["file"]>) {
  const file = { type: "string", format: "binary", description } as const;
  return { type: "object" as const, properties: { [part]: file }, required: [part] };
}

/** Each of the roles is enough. */
function requirement(endpoint: Endpoint): string | undefined {
  if (endpoint.listener === "merchant") return undefined;
  const [all, enough] =
    endpoint.listener === "operator"
      ? [OPERATOR_ROLES, OPERATOR_ROLES.filter((one) => mayAct(new Set([one]), endpoint.role))]
      : [STAFF_ROLES, STAFF_ROLES.filter((one) => staffMayAct(new Set([one]), endpoint.role))];
  if (enough.length === all.length) return "Requires any role.";
  const role = `the role ${enough.map((one) => `\`${one}\``).join(" or ")}`;
  return `Requires ${role}${endpoint.recentSignIn ? " and a recent sign-in" : ""}.`;
}

function problemsOf(endpoint: Endpoint): ProblemCode[] {
  const { method, problems: own } = endpoint;
  if (!isForPeople(endpoint)) return [...new Set([...own, ...COMMON_PROBLEMS])];
  // A change without fields refuses a body that has some.
  const ofBody = method === "GET" ? [] : BODY_PROBLEMS;
  const ofKey = takesIdempotencyKey(endpoint) ? IDEMPOTENCY_PROBLEMS : [];
  const ofSignIn = endpoint.recentSignIn ? RECENT_SIGN_IN_PROBLEMS : [];
  return [...new Set([...own, ...ofBody, ...ofKey, ...ofSignIn, ...COMMON_PROBLEMS, ...OPERATOR_PROBLEMS])];
}

const PEOPLES_KEYS = idempotencyHeaders(
  "Generate one for each change, and send it again with every repetition: the change is made once, and a " +
    "repetition gets the first answer, without what is shown only once. A key is the person's own, and kept for " +
    "7 days",
);

const IDEMPOTENCY_HEADERS = {
  staff: PEOPLES_KEYS,
  operator: PEOPLES_KEYS,
  merchant: idempotencyHeaders(
    "Generate one for each payment or change, and send it again with every repetition: the request is carried " +
      "out once, and a repetition gets the first answer. Kept for 7 days. A UUID or a time stamp is fine; what looks " +
      "like a card number is refused",
  ),
};

const WITHOUT_EFFECT = idempotencyHeaders("May be sent and changes nothing: each request is carried out");

function idempotencyHeader({ listener, carriedOutEachTime }: Endpoint) {
  return carriedOutEachTime ? WITHOUT_EFFECT : IDEMPOTENCY_HEADERS[listener];
}

function idempotencyHeaders(description: string) {
  return z.object({
    "Idempotency-Key": z
      .string()
      .regex(/^[\x20-\x7E]{1,255}$/)
      .optional()
      .meta({ description, examples: ["0b6a5f3c-2e11-4c55-9d4b-7d1e0199a6c2"] }),
  });
}

function successes(endpoint: Endpoint): ZodOpenApiOperationObject["responses"] {
  const links = linksOf(endpoint);
  const answers = ANSWER_EXAMPLES[endpoint.operationId];
  return Object.fromEntries(
    Object.entries(endpoint.responses).map(
      ([status, { description, body, rows, printed, binary, headers = {} }]) => [
        status,
        {
          description,
          ...(body && {
            content: {
              "application/json": { schema: body, ...exampleOf(answers?.[Number(status)]) },
              ...(rows && ROW_CONTENT),
              ...(printed && PRINTED_CONTENT),
            },
          }),
          ...(binary !== undefined && {
            content: { "application/octet-stream": { schema: bytesOf(binary) } },
          }),
          headers: headersOfSuccess(endpoint, Object.keys(headers)),
          ...(links && { links }),
        },
      ],
    ),
  );
}

function exampleOf(example: object | undefined) {
  return example === undefined ? {} : { example };
}

const PRINTED_CONTENT = {
  [PAGE_MEDIA_TYPE]: { schema: { type: "string" as const, description: "All matching rows, as a page" } },
};

function bytesOf(description: string) {
  return { type: "string" as const, format: "binary", description };
}

const ROW_CONTENT = Object.fromEntries(
  Object.entries(ROW_MEDIA_TYPES).map(([mediaType, description]) => [
    mediaType,
    { schema: { type: "string" as const, description } },
  ]),
);

function problems(endpoint: Endpoint): ZodOpenApiOperationObject["responses"] {
  const byStatus = Map.groupBy(problemsOf(endpoint), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      {
        description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join("; "),
        content: { "application/problem+json": { schema: problemSchema } },
        headers: headersOfProblem(endpoint, status),
      },
    ]),
  );
}
