import type { Logger } from "@holdfast/service-runtime";
import type { Handled } from "./serve.ts";

/**
 * Logs commands that were not carried out and, at `debug`, each one that was answered. Business events have
 * lines of their own.
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
