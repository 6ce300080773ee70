import { expect, test } from "vitest";
import { z } from "zod";
import { ENDPOINTS } from "../operations/endpoints.ts";

/** Every operation that answers a page which another one may follow. */
const LISTS = ENDPOINTS.filter(({ responses }) => {
  const body = responses[200]?.body;
  return body instanceof z.ZodObject && "nextCursor" in body.shape;
});
/** Lists that nobody has asked for as a file. */
const PAGES_ALONE = ["listChargebacks", "listChargebacksAsStaff", "listRefusedOperators"];
const idsOf = (lists: typeof LISTS) => lists.map(({ operationId }) => operationId).toSorted();

test("every list is answered as CSV and NDJSON as well, but for three", () => {
  expect(idsOf(LISTS.filter(({ responses }) => responses[200]?.rows !== true))).toEqual(PAGES_ALONE);
});

test("a list that is a file, too, takes a byte order mark for Excel, and says how it is asked for", () => {
  const files = LISTS.filter(({ operationId }) => !PAGES_ALONE.includes(operationId));
  for (const { operationId, description, queryParameters } of files) {
    expect(Object.keys(queryParameters?.shape ?? {}), operationId).toContain("bom");
    expect(description, operationId).toContain("`application/x-ndjson`");
  }
});
