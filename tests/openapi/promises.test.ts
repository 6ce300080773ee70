// Promises to clients beyond paths and fields: idempotency keys, retries, and room for additions.
import { openApiJson, type DocumentedListener } from "@holdfast/contracts/openapi";
import { describe, expect, test } from "vitest";

type Schema = { properties: Record<string, unknown>; required?: string[]; additionalProperties?: unknown };
type Operation = {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, { headers?: Record<string, unknown> }>;
};

describe.each(["merchant", "operator", "staff"] as const)(
  "the OpenAPI document of the %s API",
  (listener) => {
    const document = read(listener);
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        method,
        ...operation,
      })),
    );

    test("every POST takes an Idempotency-Key", () => {
      const posts = operations.filter(({ method }) => method === "post");
      expect(posts.length).toBeGreaterThan(5);
      const without = posts.filter(
        ({ parameters = [] }) =>
          !parameters.some(({ name, in: place }) => name === "Idempotency-Key" && place === "header"),
      );
      expect(without.map(({ name }) => name)).toEqual([]);
    });

    test.each([
      ["401", "WWW-Authenticate"],
      ["429", "Retry-After"],
      ["503", "Retry-After"],
      ["504", "Retry-After"],
    ])("every answer %s has %s", (status, header) => {
      const answers = operations.flatMap(({ name, responses }) =>
        responses[status] === undefined
          ? []
          : [{ name, headers: Object.keys(responses[status].headers ?? {}) }],
      );
      expect(answers.length).toBeGreaterThan(0);
      expect(answers.filter(({ headers }) => !headers.includes(header))).toEqual([]);
    });

    test("no answer is closed to fields of a later version", () => {
      const { schemas } = document.components;
      const seen = reachedFrom(
        operations.map(({ responses }) => responses),
        schemas,
      );
      expect(seen.size).toBeGreaterThan(5);
      expect([...seen].filter((name) => schemas[name]!.additionalProperties === false)).toEqual([]);
    });
  },
);

test("a payment, a refund and what a webhook has are three schemas, each with what it always or never has", () => {
  const { Payment, Refund, WebhookPayment } = read("merchant").components.schemas;
  for (const name of ["parentPaymentId", "transactionType", "cardSubType"]) {
    expect(Payment!.properties, name).not.toHaveProperty(name);
  }
  expect(Refund!.required).toEqual(expect.arrayContaining(["parentPaymentId", "transactionType"]));
  expect(WebhookPayment!.required).toContain("transactionType");
});

/** The named schemas that a reader of these answers meets. */
function reachedFrom(
  answers: unknown,
  schemas: Record<string, Schema>,
  seen = new Set<string>(),
): Set<string> {
  for (const [, name] of JSON.stringify(answers).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (seen.has(name!)) continue;
    seen.add(name!);
    reachedFrom(schemas[name!], schemas, seen);
  }
  return seen;
}

function read(listener: DocumentedListener) {
  return JSON.parse(openApiJson(listener)) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
}
