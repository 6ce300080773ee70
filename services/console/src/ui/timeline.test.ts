import type { OperatorPaymentLife, OperatorRefundDetail } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { expect, test } from "vitest";
import type { PageContext } from "./page-context.ts";
import { TEXTS } from "./texts.ts";
import { eventsOfPayment, eventsOfRefund } from "./timeline.ts";

const context = {
  reader: { language: "en", locale: "en-GB", texts: TEXTS.en },
  session: {},
} as unknown as PageContext;

const call = (number: number, accountId: string, outcome: string) => ({
  number,
  type: "AUTHORIZE",
  reference: "r",
  amount: 12.5,
  accountId,
  sentAt: `2026-11-20T12:00:0${number}Z`,
  answeredAt: `2026-11-20T12:00:0${number}Z`,
  outcome,
});

function answers(...accountIds: string[]): string[] {
  const life = {
    payment: { currency: "TRY" },
    history: [],
    refunds: [],
    deliveries: [],
    actions: [],
    bankCalls: accountIds.map((id, index) => call(index + 1, id, index === 0 ? "DECLINED" : "APPROVED")),
  } as unknown as OperatorPaymentLife;
  const accounts = [
    { accountId: "a", name: "First bank" },
    { accountId: "b", name: "Second bank" },
  ];
  return eventsOfPayment(context, life, [], accounts)
    .map(({ what }) => (typeof what === "string" ? what : what.text))
    .filter((what) => what.startsWith(TEXTS.en.bankAnswered));
}

test("calls name their account where a payment was sent to several, and not where it was sent to one", () => {
  const [first, second] = answers("a", "b");
  expect(first).toContain("(First bank)");
  expect(second).toContain("(Second bank)");
  expect(answers("a", "a").join(" ")).not.toContain("bank)");
  expect(answers("a", "of another installation")[0]).toContain("(First bank)");
});

test("a refund is approved by operators before it is sent, and by the bank after it", () => {
  const at = "2026-11-20T12:00:00Z";
  const refund = {
    history: [
      { from: "PENDING_APPROVAL", to: "EXECUTING", cause: "approved", at },
      { from: "EXECUTING", to: "SETTLING", cause: "approved", at },
    ],
    approvedBy: [],
  } as unknown as OperatorRefundDetail;
  const details = eventsOfRefund(context.reader, refund).map(({ detail }) => html`${detail}`.text);
  expect(details[0]).toContain("Enough operators approved it.");
  expect(details[1]).toContain("The bank approved.");
});
