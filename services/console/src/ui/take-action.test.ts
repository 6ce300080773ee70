import { operations, PROBLEMS, type Endpoint, type ProblemCode } from "@holdfast/contracts";
import { expect, test, vi } from "vitest";
import type { Notice, PageContext } from "./page-context.ts";
import { takeAction } from "./take-action.ts";
import { TEXTS } from "./texts.ts";

const STAFF = { merchantId: "m1", roles: new Set(["owner"] as const) };

async function take(
  endpoint: Endpoint,
  { refusedAs, ...given }: { refusedAs?: ProblemCode; mayDecide?: boolean; staff?: typeof STAFF },
) {
  const change = vi.fn(async () =>
    refusedAs === undefined
      ? { done: true, body: {} }
      : { done: false, problem: { ...PROBLEMS[refusedAs], code: refusedAs } },
  );
  const context = {
    reader: { texts: TEXTS.en },
    form: new URLSearchParams({ key: "k" }),
    session: { staff: given.staff },
    mayDecide: given.mayDecide ?? true,
    keepForm: async () => "/refunds/1?kept=f1",
    api: { change },
  } as unknown as PageContext;
  const renderAgain = vi.fn(async (_context: PageContext, _notice: Notice, status: number) => ({
    kind: "page" as const,
    status,
    title: "",
    content: TEXTS.en.overview as never,
  }));
  const request = { action: "approve", endpoint, path: {}, body: {}, page: "/refunds/1" } as const;
  const answer = await takeAction(context, request, renderAgain);
  return { answer, change, notice: renderAgain.mock.calls[0]?.[1] };
}

test("what takes a recent sign-in is not asked for with an old one, and the way to a new one leads back to the form", async () => {
  const { answer, change, notice } = await take(operations.approveRefund, { mayDecide: false });
  expect(change).not.toHaveBeenCalled();
  expect(answer).toMatchObject({ kind: "page", status: 403 });
  expect(notice?.link?.text).toContain("/login?again=1&amp;return=%2Frefunds%2F1%3Fkept%3Df1");
});

test("where the gateway asks for a younger one than the console, the way leads to a sign-in of now", async () => {
  const { answer, notice } = await take(operations.approveRefund, {
    refusedAs: "insufficient_user_authentication",
  });
  expect(answer).toMatchObject({ kind: "page", status: 403 });
  expect(notice?.link?.text).toContain("/login?again=now&amp;return=%2Frefunds%2F1%3Fkept%3Df1");
});

test("a key takes a recent sign-in of staff, and none of operators", async () => {
  const asOperator = await take(operations.addCredential, { mayDecide: false });
  expect(asOperator.answer).toMatchObject({ kind: "redirect" });
  const asStaff = await take(operations.addCredential, { mayDecide: false, staff: STAFF });
  expect(asStaff.answer).toMatchObject({ kind: "page", status: 403 });
  expect(asStaff.change).not.toHaveBeenCalled();
});
