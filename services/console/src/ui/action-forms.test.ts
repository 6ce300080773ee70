import { expect, test } from "vitest";
import { renderActions } from "./action-forms.ts";
import type { Action } from "./offers.ts";
import type { PageContext } from "./page-context.ts";
import { TEXTS } from "./texts.ts";

const MESSAGE = "must be otherwise";

/** The page of a payment or refund whose form was refused. */
function refusedPage(action: Action, form: Record<string, string>, field: string): string {
  const context = {
    reader: { language: "tr", locale: "tr-TR", texts: TEXTS.tr },
    session: { roles: new Set() },
    parameters: { refundId: "r1" },
    form: new URLSearchParams(form),
    faults: [{ field, code: "too_long", message: MESSAGE }],
    formToken: "t",
    mayDecide: true,
    generateKey: () => "k",
  } as unknown as PageContext;
  return renderActions(context, [{ action }], { path: "/refunds/r1", about: "", amount: "" }).text;
}

test.each<[Action, Record<string, string>, string, string]>([
  ["resolve", { outcome: "SUCCESS", evidence: "seen" }, "outcome", "outcome"],
  ["resolve", { outcome: "SUCCESS", evidence: "seen" }, "evidence", "evidence"],
  ["refund", { amount: "1", reason: "seen" }, "amount", "amount"],
  ["refund", { amount: "1", reason: "seen" }, "reason", "refund-reason"],
  ["capture", { captureAmount: "1" }, "amount", "captureAmount"],
  ["reject", { reason: "seen" }, "reason", "reason-r1"],
])("%s of %j shows the fault of %s beside it, in Turkish, and keeps what was typed", (...given) => {
  const [action, form, field, id] = given;
  const text = refusedPage(action, form, field);
  expect(text).toContain(`<p class="fault" id="${id}-fault">çok uzun</p>`);
  expect(text).toMatch(new RegExp(`aria-describedby="(?:\\S+ )?${id}-fault"`));
  expect(text.match(/aria-invalid="true"/g)).toHaveLength(1);
  expect(text).not.toContain(MESSAGE);
  if (form["evidence"]) expect(text).toContain(`>\n${form["evidence"]}</textarea>`);
  if (form["reason"]) expect(text).toContain(`value="${form["reason"]}"`);
});

test.each<Action>(["approve", "cancel", "reverse", "resolve", "refund"])(
  "%s asks first: it cannot be taken back",
  (action) => {
    expect(refusedPage(action, {}, "none")).toMatch(/name="question"\s+value="[^"]+: [^"]*\?"/);
  },
);

test("a fault of the refund's amount is none of the capture's", () => {
  expect(refusedPage("capture", { amount: "1", reason: "seen" }, "amount")).not.toContain("aria-invalid");
});
