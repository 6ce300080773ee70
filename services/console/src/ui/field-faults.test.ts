import type { FieldCode } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { faultText } from "./field-faults.ts";
import { TEXTS } from "./texts.ts";

test.each<FieldCode>(["invalid_cursor", "range_required", "invalid_range", "acquirer_account_not_found"])(
  "%s, which a list or the routes answer with, has words in Turkish",
  (code) => {
    const reader = { language: "tr", locale: "tr-TR", texts: TEXTS.tr } as const;
    const message = "the gateway's English";
    expect(faultText(reader, { field: "to", code, message })).not.toBe(message);
  },
);
