import type { AcquirerAmount, AcquirerOutcome, ReversalOutcome, Target } from "@holdfast/acquirer";
import { businessDayEnd } from "@holdfast/acquirer";
import type { BusinessDay } from "@holdfast/acquirer";
import { classifyFailure } from "./classify-failure.ts";
import { failed, type Envelope } from "./read-envelope.ts";
import { readGivenBack } from "./read-given-back.ts";

type Asked = AcquirerAmount & { reference: string; paymentId: string };
type Clock = { now: Date; businessDay: BusinessDay };

/**
 * The answer to a cancel that a merchant requested. iyzico cancels a sale on its business day only, and does not say
 * with which code it refuses later: a refusal that its documents do not name is a refusal once that day is over, and
 * unproven before.
 */
export function cancelOutcome(
  envelope: Envelope,
  asked: Asked & { target: Target },
  clock: Clock,
): AcquirerOutcome {
  const { reference: conversationId, target } = asked;
  switch (envelope.kind) {
    case "success":
      return readGivenBack(envelope.answer, { ...asked, conversationId });
    case "failure": {
      const { code, message } = envelope.failure;
      if (envelope.failure.conversationId === conversationId && isTooLate(code, target, clock))
        return { kind: "declined", declineClass: "technical", resultCode: code, resultMessage: message };
      return failed(envelope.failure, { conversationId, ...clock });
    }
    default:
      return envelope;
  }
}

/** A sale has no `capturedMinor`. An authorization has one, and can be cancelled on later days, too. */
function isTooLate(code: string, { at, capturedMinor }: Target, { now, businessDay }: Clock): boolean {
  const failureClass = classifyFailure(code);
  const isUnnamed = failureClass.kind === "unproven" && !failureClass.documented;
  return isUnnamed && capturedMinor === undefined && now >= businessDayEnd(at, businessDay);
}

/** The answer to the cancel of a reversal. Where iyzico says that a cancel is too late, a refund gives the money back. */
export function reversalOutcome(envelope: Envelope, asked: Asked, clock: Clock): ReversalOutcome {
  const conversationId = asked.reference;
  switch (envelope.kind) {
    case "success": {
      const outcome = readGivenBack(envelope.answer, { ...asked, conversationId });
      return outcome.kind === "approved" ? { kind: "reversed" } : outcome;
    }
    case "failure": {
      const { code: resultCode, message: resultMessage } = envelope.failure;
      const outcome = failed(envelope.failure, { conversationId, ...clock });
      if (outcome.kind === "declined") return { kind: "refused", resultCode, resultMessage };
      const isDayEnd = outcome.kind === "not_sent" && outcome.reason === "day_not_ended";
      return isDayEnd ? { kind: "settled", resultCode, resultMessage } : outcome;
    }
    default:
      return envelope;
  }
}
