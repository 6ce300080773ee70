import type { ProbeOutcome } from "@holdfast/acquirer";
import { classifyFailure } from "./classify-failure.ts";
import type { Envelope } from "./read-envelope.ts";

/**
 * Every answer of the protocol that does not refuse the account shows that the keys are right, even if it refuses the
 * BIN.
 */
export function probeOutcome(envelope: Envelope): ProbeOutcome {
  switch (envelope.kind) {
    case "success":
      return { kind: "ok" };
    case "failure": {
      const { code } = envelope.failure;
      const { kind } = classifyFailure(code);
      return kind === "credentials"
        ? { kind: "credentials", detail: `iyzico refuses the account (${code})` }
        : { kind: "ok" };
    }
    case "unknown":
      return { kind: "unreachable", detail: `no answer of the protocol (${envelope.reason})` };
    case "not_sent":
      return { kind: "unreachable", detail: "no connection" };
    default:
      return envelope satisfies never;
  }
}
