import { expect, test } from "vitest";

import { FAILURE_CODES } from "./failure-codes.ts";

test.each([
  ["limit", "10051 10224 10248"],
  ["soft", "10005 10207 10210 10211 10220 10243 10244"],
  ["hard", "6000 6001 10012 10034 10054 10057 10058 10093 10230 10246"],
  // Security code and PIN, and too many tries of either.
  ["hard", "10084 10212 10226 10227"],
  ["stolen", "10041 10043 10209"],
  ["sca_required", "10217"],
  ["technical", "12 5062 5184"],
  ["credentials", "1000 1001 9000"],
  ["too_many_calls", "50000"],
  ["day_not_ended", "10223"],
  ["failed", "1 10202 10203 10204 10214 10219 10228 10236 10240 10241 10242"],
  [undefined, "10000 10999 constructor"],
])("%s: %s", (codeClass, codes) => {
  for (const code of codes.split(" ")) expect(FAILURE_CODES.get(code)).toBe(codeClass);
});
