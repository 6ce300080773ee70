import * as fc from "fast-check";
import { expect, test } from "vitest";

import { operationNames, parseOperationRequest } from "./operation-request.ts";

const fields = ["reference", "parentReference", "amountMinor", "currency", "expiresAt", "cardHolderName"];
const names = [
  "",
  ...fields,
  "installmentCount",
  ...["", ".pan", ".expiryMonth", ".expiryYear", ".cvv"].map((rest) => `card${rest}`),
];

test.each(operationNames)(
  "whatever comes as %s is understood or refused by its fields' names",
  (operation) => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("EUR", "r-1", "2026-01-01T00:00:00.000Z", 1_000));
    const record = fc.record(Object.fromEntries(fields.map((name) => [name, value])), { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), record), (body) => {
        const parsed = parseOperationRequest(operation, body, Date.now());
        if (parsed.kind === "valid") {
          const { expiresAtMs } = parsed.request;
          expect(expiresAtMs === undefined || Number.isSafeInteger(expiresAtMs)).toBe(true);
          return;
        }
        for (const field of parsed.fields) expect(names).toContain(field);
      }),
      { numRuns: 300 },
    );
  },
);
