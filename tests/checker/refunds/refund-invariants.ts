import type { Invariant } from "../ledgers.ts";
import { auditLogIsWhole } from "./audit-log-is-whole.ts";
import { buyersArePaidOnce } from "./buyers-are-paid-once.ts";
import { moneyIsConserved } from "./money-is-conserved.ts";
import { refundAmountsAreExact } from "./refund-amounts-are-exact.ts";
import { refundStatesFollowTheTable } from "./refund-states-follow-the-table.ts";
import { refundsAreDecidedByOthers } from "./refunds-are-decided-by-others.ts";
import { refundsAreOfRefundablePayments } from "./refunds-are-of-refundable-payments.ts";
import { refundsAreCarriedOut } from "./refunds-are-carried-out.ts";
import { refundsArePaidOnce } from "./refunds-are-paid-once.ts";
import { refundsStayWithinTheirPayment } from "./refunds-stay-within-their-payment.ts";
import { reservationsMatchRefunds } from "./reservations-match-refunds.ts";
import { unansweredRefundsLeaveNothingOrOne } from "./unanswered-refunds-leave-nothing-or-one.ts";

/** What is promised of refunds, and of what operators do. */
export const REFUND_INVARIANTS: readonly Invariant[] = (
  [
    [2, "a refund request that was not answered leaves nothing or one", unansweredRefundsLeaveNothingOrOne],
    [6, "a refund's amount is the same to the last digit everywhere", refundAmountsAreExact],
    [8, "a refund's states follow the table", refundStatesFollowTheTable],
    [9, "refunds never add up to more than their payment", refundsStayWithinTheirPayment],
    [10, "a refund is of a refundable payment of its merchant and currency", refundsAreOfRefundablePayments],
    [11, "what payments reserves is what refunds say", reservationsMatchRefunds],
    [12, "the bank pays a refund once, after its approval, exactly when it is SUCCESS", refundsArePaidOnce],
    [13, "others than the requester decide, enough of them", refundsAreDecidedByOthers],
    [28, "the audit log is whole, and says what operators did", auditLogIsWhole],
    [29, "what the bank has is what our rows add up to", moneyIsConserved],
    [35, "an approved refund is paid unless the bank itself declined it", refundsAreCarriedOut],
    [41, "refunds and chargebacks give a buyer no more than was paid", buyersArePaidOnce],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "refunds", promise, violations }));
