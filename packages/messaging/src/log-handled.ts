import type { Logger } from "@holdfast/service-runtime";
import type { Handled } from "./serve.ts";

/**
 * Business events have their own lines; these are for a command that was not carried out, and at `debug` for each one that
 * was answered.
 */
export function logHandled(log: Pick<Logger, "warn" | "debug">): (handled: Handled) => void {
  return ({ outcome, subject, context, actor, durationMs, error }) => {
    const isAnswered = outcome === "done" || outcome === "pending" || outcome === "problem";
    log[isAnswered ? "debug" : "warn"](
      {
        outcome,
        subject,
        actor,
        durationMs,
        error,
        requestId: context?.requestId,
        merchantId: context?.merchantId,
      },
      isAnswered ? "command answered" : "command not carried out",
    );
  };
}
