// What the merchants' document shows as an example is what the API takes and answers, and no operation is without one.
import { expect, test } from "vitest";
import { z } from "zod";
import { ENDPOINTS } from "./http/endpoints.ts";
import { ANSWER_EXAMPLES, REQUEST_EXAMPLES } from "./openapi-examples.ts";

const merchants = ENDPOINTS.filter(({ listener }) => listener === "merchant");

test("each operation has an example of its body, if it takes one, and of each success", () => {
  const taking = merchants.filter(({ request }) => request !== undefined);
  expect(Object.keys(REQUEST_EXAMPLES).toSorted()).toEqual(
    taking.map(({ operationId }) => operationId).toSorted(),
  );
  const shown = merchants.map(({ operationId }) => [
    operationId,
    Object.keys(ANSWER_EXAMPLES[operationId] ?? {}),
  ]);
  expect(shown).toEqual(merchants.map(({ operationId, responses }) => [operationId, Object.keys(responses)]));
});

test.each(merchants.filter(({ operationId }) => operationId in ANSWER_EXAMPLES))(
  "$operationId: what its examples answer has the fields of its schema and no others",
  ({ operationId, responses }) => {
    for (const [status, example] of Object.entries(ANSWER_EXAMPLES[operationId]!)) {
      const body = responses[Number(status)]!.body!;
      expect(z.safeParse(body, example).error).toBeUndefined();
      expect(z.parse(body, example)).toEqual(example);
    }
  },
);
