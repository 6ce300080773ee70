// Every example in the documents is one that the API takes or answers, and no operation is without one.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { WEBHOOK_EXAMPLES } from "./examples/webhook-examples.ts";
import { ENDPOINTS } from "./operations/endpoints.ts";
import { ANSWER_EXAMPLES, REQUEST_EXAMPLES } from "./openapi-examples.ts";
import { WEBHOOKS } from "./openapi-webhooks.ts";

const named = (examples: object) => Object.keys(examples).toSorted();

test("each operation has an example of its body, if it takes one as JSON, and nothing else has", () => {
  const taking = ENDPOINTS.filter(({ request }) => request !== undefined);
  expect(named(REQUEST_EXAMPLES)).toEqual(taking.map(({ operationId }) => operationId).toSorted());
});

test("each operation has an example of each success that has a body of JSON, and nothing else has", () => {
  const statuses = ENDPOINTS.flatMap(({ operationId, responses }) => {
    const shown = Object.entries(responses).filter(([, { body }]) => body !== undefined);
    return shown.length === 0 ? [] : [[operationId, shown.map(([status]) => status)] as const];
  });
  const shown = Object.entries(ANSWER_EXAMPLES).map(([name, answers]) => [name, Object.keys(answers)]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(statuses));
});

// The gateway's request-shape.test.ts, where numbers are read from their text, tests that it is taken.
test.each(ENDPOINTS.filter(({ operationId }) => operationId in REQUEST_EXAMPLES))(
  "$operationId: the body of its example has no field that is not known",
  ({ operationId, request }) => {
    const known =
      request instanceof z.ZodObject ? named(request.shape) : named(REQUEST_EXAMPLES[operationId]!);
    expect(known).toEqual(expect.arrayContaining(named(REQUEST_EXAMPLES[operationId]!)));
  },
);

test.each(ENDPOINTS.filter(({ operationId }) => operationId in ANSWER_EXAMPLES))(
  "$operationId: what its examples answer has the fields of its schema and no others",
  ({ operationId, responses }) => {
    for (const [status, example] of Object.entries(ANSWER_EXAMPLES[operationId]!)) {
      expectWhole(responses[Number(status)]!.body!, example);
    }
  },
);

describe("webhooks", () => {
  test.each(Object.entries(WEBHOOKS))(
    "the body of %s has the fields of its schema and no others",
    (type, { post }) => {
      const { schema, example } = post.requestBody.content["application/json"];
      expect(example).toBe(WEBHOOK_EXAMPLES[type as keyof typeof WEBHOOK_EXAMPLES]);
      expectWhole(schema, example);
    },
  );
});

function expectWhole(schema: z.ZodType, example: object): void {
  expect(z.safeParse(schema, example).error).toBeUndefined();
  expect(z.parse(schema, example)).toEqual(example);
}
