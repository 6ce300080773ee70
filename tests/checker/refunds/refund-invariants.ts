import type { Invariant } from "../ledgers.ts";
import { auditLogIsWhole } from "./audit-log-is-whole.ts";
import { buyersArePaidOnce } from "./buyers-are-paid-once.ts";
import { moneyIsConserved } from "./money-is-conserved.ts";
import { namesAreUsedOnce } from "./names-are-used-once.ts";
import { refundAmountsAreExact } from "./refund-amounts-are-exact.ts";
import { refundStatesFollowTheTable } from "./refund-states-follow-the-table.ts";
import { refundsAreDecidedByOthers } from "./refunds-are-decided-by-others.ts";
import { refundsAreOfRefundablePayments } from "./refunds-are-of-refundable-payments.ts";
import { refundsAreCarriedOut } from "./refunds-are-carried-out.ts";
import { refundsArePaidOnce } from "./refunds-are-paid-once.ts";
import { refundsAreThoseOfTheBank } from "./refunds-are-those-of-the-bank.ts";
import { refundsStayWithinTheirPayment } from "./refunds-stay-within-their-payment.ts";
import { reservationsMatchRefunds } from "./reservations-match-refunds.ts";
import { unansweredRefundsLeaveNothingOrOne } from "./unanswered-refunds-leave-nothing-or-one.ts";

/** The promises about refunds, and about the actions of operators. */
export const REFUND_INVARIANTS: readonly Invariant[] = (
  [
    [
      2,
      "a refund request without an answer leaves nothing, or exactly one refund",
      unansweredRefundsLeaveNothingOrOne,
    ],
    [6, "a refund's amount is exactly the same everywhere", refundAmountsAreExact],
    [8, "a refund's states follow the table", refundStatesFollowTheTable],
    [9, "the refunds of a payment never exceed its amount", refundsStayWithinTheirPayment],
    [
      10,
      "a refund belongs to a refundable payment of the same merchant and currency",
      refundsAreOfRefundablePayments,
    ],
    [11, "the reservations of `payments` match the refunds", reservationsMatchRefunds],
    [
      12,
      "the bank pays a refund at most once and after its approval; it is SUCCESS exactly if it was paid",
      refundsArePaidOnce,
    ],
    [13, "enough operators decide a refund, and none of them has requested it", refundsAreDecidedByOthers],
    [28, "the audit log is complete, and has what operators did", auditLogIsWhole],
    [29, "the bank's totals equal the sums of our rows", moneyIsConserved],
    [35, "an approved refund is paid unless the bank itself declined it", refundsAreCarriedOut],
    [43, "a bank's name belongs to one refund of a payment", namesAreUsedOnce],
    [44, "what is refunded here is refunded at the bank", refundsAreThoseOfTheBank],
    [41, "refunds and chargebacks together never exceed what the buyer paid", buyersArePaidOnce],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "refunds", promise, violations }));
