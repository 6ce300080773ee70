import type { Handled } from "./serve.ts";

/** Business events have their own lines; this one is for a command that was not carried out. */
export function logHandled(log: { warn(fields: object, message: string): void }): (handled: Handled) => void {
  return ({ outcome, subject, context, actor, durationMs, error }) => {
    if (outcome === "done" || outcome === "pending" || outcome === "problem") return;
    log.warn(
      {
        outcome,
        subject,
        actor,
        durationMs,
        error,
        requestId: context?.requestId,
        merchantId: context?.merchantId,
      },
      "command not carried out",
    );
  };
}
