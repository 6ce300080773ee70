/**
 * Named points in the code at which a test can make this process die, stop or wait, so that a crash happens
 * at exactly the chosen moment. Off unless `FAILPOINTS` is set, and never on in production.
 *
 * `FAILPOINTS=payments.after_claim:kill@3,payments.before_claim:delay(20s)`: the process is killed when it
 * reaches the first point for the third time, and waits each time it reaches the second. Actions: `kill`
 * (SIGKILL to itself), `stop` (SIGSTOP to itself, until a SIGCONT), `delay(N ms|s)`, `hold` (waits until
 * points are armed again, or disarmed), `hang` (the work at this point never continues, as if its process had
 * died, while the rest of the process runs).
 */
export const FAILPOINTS = [
  "payments.before_claim",
  "payments.after_claim",
  "payments.after_acquirer",
  "payments.before_publish",
  "payments.after_record",
  "payments.after_inquiry",
  "payments.after_reversal_decision",
  "payments.after_reversal",
  "payments.after_reversal_refund",
  "payments.after_enrolment_claim",
  "payments.after_enrolment",
  "payments.after_challenge",
  "payments.after_frictionless",
  "payments.after_completion_claim",
  "payments.after_completion",
  "payments.operation_after_claim",
  "payments.operation_after_acquirer",
  "payments.before_reservation",
  "payments.after_reservation",
  "payments.before_reservation_end",
  "payments.after_reservation_end",
  "payments.before_failover",
  "payments.after_failover",
  "payments.after_call_begin",
  "payments.after_call",
  "payments.after_call_note",
  "payments.after_heard",
  "payments.after_refund_inquiry",
  "payments.before_refund_call",
  "payments.after_refund_call",
  "payments.after_checkout_payment",
  "payments.before_checkout_close",
  "refunds.before_claim",
  "refunds.after_claim",
  "refunds.after_reservation",
  "refunds.after_request",
  "refunds.after_decision",
  "refunds.after_acquirer",
  "refunds.after_outcome",
  "refunds.after_payments_told",
  "refunds.after_end",
  "refunds.after_inquiry",
  "refunds.after_undo_told",
  "settlement.before_revision",
  "webhooks.after_pull",
  "webhooks.after_accept",
  "webhooks.after_claim",
  "webhooks.before_ack",
  "webhooks.in_request",
  "webhooks.after_2xx",
  "webhooks.in_result_batch",
  "installation.after_archive_files",
  "installation.after_archive_batch",
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/**
 * The setting does not have the form above. This is an error, since a test whose failpoint is not set proves
 * nothing.
 */
export class FailpointSettingError extends Error {
  override name = "FailpointSettingError";
  readonly code = "invalid_failpoints";
}

type Action = { kind: "kill" | "stop" | "hold" | "hang" } | { kind: "delay"; ms: number };
type Armed = { action: Action; onHit: number | undefined; hits: number };

/** @throws FailpointSettingError */
export function parseFailpoints(setting: string): Map<Failpoint, Armed> {
  const armed = new Map<Failpoint, Armed>();
  for (const part of setting.split(",")) {
    const [, name, kind, count, unit, onHit] =
      /^([\w.]+):(kill|stop|delay|hold|hang)(?:\((\d+)(ms|s)\))?(?:@(\d+))?$/.exec(part.trim()) ?? [];
    if (!isFailpoint(name) || (kind === "delay") !== (count !== undefined)) {
      throw new FailpointSettingError(`not a failpoint: ${part}`);
    }
    const action: Action =
      kind === "delay"
        ? { kind, ms: Number(count) * (unit === "s" ? 1_000 : 1) }
        : { kind: kind as "kill" | "stop" | "hold" | "hang" };
    armed.set(name, { action, onHit: onHit === undefined ? undefined : Number(onHit), hits: 0 });
  }
  return armed;
}

function isFailpoint(name: string | undefined): name is Failpoint {
  return (FAILPOINTS as readonly (string | undefined)[]).includes(name);
}

/** Carries out the setting's action at this point; without one it does nothing. */
export async function failpoint(name: Failpoint): Promise<void> {
  const point = armed?.get(name);
  if (!point) return;
  point.hits++;
  if (point.onHit !== undefined && point.hits !== point.onHit) return;
  // Not by the logger, whose buffer would die with the process. A test's reporter keeps what the console prints.
  // oxlint-disable-next-line no-console -- it has to be printed before the process dies
  console.error(`failpoint ${name}: ${point.action.kind}`);
  switch (point.action.kind) {
    case "kill":
      process.kill(process.pid, "SIGKILL");
      return await new Promise(() => {});
    case "stop":
      process.kill(process.pid, "SIGSTOP");
      return;
    case "hold":
      return await released.promise;
    case "hang":
      return await new Promise(() => {});
    case "delay": {
      const { ms } = point.action;
      return await new Promise((resolve) => setTimeout(resolve, ms));
    }
    default:
      point.action satisfies never;
  }
}

const { FAILPOINTS: setting, NODE_ENV } = process.env;
let armed = setting && NODE_ENV !== "production" ? parseFailpoints(setting) : undefined;
/** The end of the present hold. */
let released = Promise.withResolvers<void>();

/**
 * Arms other points in this process, for tests that run services in their own; nothing in production.
 * @returns a function that counts how often a point has been reached since.
 */
export function armFailpoints(setting: string | undefined): (name: Failpoint) => number {
  const points =
    setting !== undefined && process.env["NODE_ENV"] !== "production" ? parseFailpoints(setting) : undefined;
  armed = points;
  released.resolve();
  released = Promise.withResolvers();
  return (name) => points?.get(name)?.hits ?? 0;
}
