import {
  BODY_PROBLEMS,
  COMMON_PROBLEMS,
  ENDPOINTS,
  IDEMPOTENCY_PROBLEMS,
  isForPeople,
  OPERATOR_PROBLEMS,
  PROBLEMS,
  problemType,
  RECENT_SIGN_IN_PROBLEMS,
  type Problem,
  type ProblemCode,
} from "@holdfast/contracts";
import { expect, test } from "vitest";
import { faultAt, needsOf } from "./field-faults.ts";
import type { PageContext } from "./page-context.ts";
import { faultsNotice, problemText, problemTitle, refusalNotice } from "./problem-text.ts";
import { TEXTS } from "./texts.ts";

const EN = { language: "en", locale: "en", texts: TEXTS.en } as const;
const TR = { language: "tr", locale: "tr-TR", texts: TEXTS.tr } as const;

/** Every code that an operation of operators or of merchants' staff can answer. */
const CODES = new Set<ProblemCode>([
  ...ENDPOINTS.filter(isForPeople).flatMap(({ problems }) => problems),
  ...COMMON_PROBLEMS,
  ...OPERATOR_PROBLEMS,
  ...RECENT_SIGN_IN_PROBLEMS,
  ...BODY_PROBLEMS,
  ...IDEMPOTENCY_PROBLEMS,
]);

function problemOf(code: ProblemCode, more: Partial<Problem> = {}): Problem {
  const { status, title } = PROBLEMS[code];
  const requestId = "0199c1f2-0000-7000-8000-000000000000";
  return {
    type: problemType(code),
    title,
    status,
    code,
    requestId,
    instance: `urn:uuid:${requestId}`,
    ...more,
  };
}

const contextOf = (reader: typeof EN | typeof TR) =>
  ({ reader, form: new URLSearchParams() }) as unknown as PageContext;

test.each([...CODES])("%s has words in Turkish, and the gateway's in English", (code) => {
  const { title } = PROBLEMS[code];
  expect(problemTitle(TR, problemOf(code))).not.toBe(title);
  expect(problemTitle(TR, problemOf(code))).not.toBe("");
  expect(problemTitle(EN, problemOf(code))).toBe(title);
});

test("a detail in English is left out where the Turkish words say it, and stays where it says more", () => {
  const said = problemOf("same_person", { detail: "You issued the credential." });
  expect(problemText(TR, said)).not.toContain("credential");
  expect(problemText(EN, said)).toContain("You issued the credential.");
  const more = problemOf("chargeback_exists", { detail: "It is 0199c1f2" });
  expect(problemText(TR, more)).toBe("Bu tutarda açık bir itiraz zaten var. It is 0199c1f2.");
});

test("the notice points at the faults that the page has beside their fields, and names all others", () => {
  const context = contextOf(TR);
  const errors = [
    { field: "reason", code: "too_long", message: "must have at most 200 characters" },
    { field: "currency", code: "invalid_currency", message: "must be an ISO 4217 code" },
  ];
  const notice = refusalNotice(context, problemOf("validation_failed", { errors }));
  expect(faultAt(context, "reason")).toBe("çok uzun");
  expect(notice.text).toBe(`${TEXTS.tr.seeFields} currency: ISO 4217 para birimi kodu değil.`);
});

test("where the page has none of the fields, the notice says it all", () => {
  const errors = [{ field: "reason", code: "too_long", message: "must have at most 200 characters" }];
  const notice = refusalNotice(contextOf(EN), problemOf("validation_failed", { errors }));
  expect(notice.text).toBe("Some fields are not valid. reason: must have at most 200 characters.");
});

test("an amount above what can be refunded is said in the notice and beside the amount", () => {
  const context = contextOf(TR);
  const notice = refusalNotice(context, problemOf("refund_amount_exceeds_remaining"));
  expect(faultAt(context, "amount")).toBe("İade, iade edilebilecek tutarı aşıyor");
  expect(notice.text).toBe("İade, iade edilebilecek tutarı aşıyor.");
});

test("what the console itself misses is said beside its field, or else in the notice", () => {
  const needs = needsOf({ reason: TEXTS.tr.needAnyReason, outcome: false, amount: undefined });
  expect(needs).toEqual([{ field: "reason", message: TEXTS.tr.needAnyReason }]);
  const context = contextOf(TR);
  const notice = faultsNotice(context, needs);
  expect(notice.text).toBe(TEXTS.tr.needAnyReason);
  expect(faultAt(context, "reason")).toBe(TEXTS.tr.needAnyReason);
  expect(notice.text).toBe(TEXTS.tr.seeFields);
});
