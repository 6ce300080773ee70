import { expect, test } from "vitest";
import { z } from "zod";
import { ENDPOINTS } from "../operations/endpoints.ts";

const CARD = "4111111111111111";

/** A text that is only a card number, and one that is also a URL. */
const TEXTS = [
  CARD,
  "4111 1111 1111 1111",
  "４１１１１１１１１１１１１１１１",
  `https://shop.example/?card=${CARD}`,
  "https://shop.example/?card=%34111111111111111",
];

/** Every text in the body of a request, by the path that an error names. */
const texts = ENDPOINTS.filter(({ request }) => request).flatMap(({ operationId, request }) =>
  textsOf(request!).map(({ path, schema }) => ({ field: `${operationId} ${path}`, schema })),
);

/**
 * Fields that take a card number: the card's own, and order numbers of digits alone (docs/adr/0007). A barcode and a
 * scheme's transaction id are such numbers, too (docs/adr/0034).
 */
const TAKEN: Record<string, string[]> = {
  pan: [CARD],
  orderId: [CARD],
  id: [CARD],
  firstSchemeTransactionId: [CARD],
  // The list itself judges currencies and amounts.
  currency: TEXTS,
  amount: TEXTS,
};

test("there are texts to judge, of both listeners", () => {
  const fields = texts.map(({ field }) => field);
  expect(fields).toContain("cancel reason");
  expect(fields).toContain("putMerchantWebhook url");
  expect(fields).toContain("resolveRefund evidence");
  expect(fields).toContain("createCheckout successUrl");
});

test.each(texts)("$field takes no card number", ({ field, schema }) => {
  const taken = TAKEN[/\w+$/.exec(field)![0]] ?? [];
  expect(TEXTS.filter((text) => schema.safeParse(text).success && !taken.includes(text))).toEqual([]);
});

function textsOf(schema: z.ZodType, path = ""): { path: string; schema: z.ZodType }[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return textsOf(schema.unwrap() as z.ZodType, path);
  }
  if (schema instanceof z.ZodArray) return textsOf(schema.element as z.ZodType, path);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
      textsOf(field, path === "" ? name : `${path}.${name}`),
    );
  }
  return schema instanceof z.ZodString ? [{ path, schema }] : [];
}
