import { createHash } from "node:crypto";
import type { AuditRow, Found, Ledgers, OperatorEntry } from "../ledgers.ts";

/**
 * Invariant 28. Each service's audit log is a hash chain without a gap, and its entries are the actions of operators:
 * every action that was answered with success has its entry, and every entry an action that may have made it, or was
 * refused where the entry says so.
 */
export function auditLogIsWhole({ audit, operations }: Ledgers): Found[] {
  const logs = Map.groupBy(audit, ({ service }) => service);
  return [
    ...[...logs].flatMap(([service, entries]) => brokenChain(service, entries)),
    ...(operations.length === 0 ? [] : [...unwritten(operations, audit), ...unexplained(operations, audit)]),
  ];
}

/** One fault is enough: behind it every hash is wrong. */
function brokenChain(service: string, entries: AuditRow[]): Found[] {
  let head = Buffer.alloc(32);
  for (const [index, { sequence, at, actor, action, subject, detail, hash }] of entries.entries()) {
    const content = [sequence.toString(), at.toISOString(), actor, action, subject, detail];
    head = createHash("sha256").update(head).update(JSON.stringify(content)).digest();
    if (sequence !== BigInt(index + 1) || !head.equals(hash))
      return [{ ids: [`${service}:${sequence}`], what: "the audit chain is broken" }];
  }
  return [];
}

function unwritten(operations: OperatorEntry[], audit: AuditRow[]): Found[] {
  const written = new Set(audit.map(keyOf));
  return operations
    .filter(({ action, status = 0 }) => status >= 200 && status < 300 && !MAY_CHANGE_NOTHING.has(action))
    .filter(({ operator, action, subject = "" }) => !written.has(`${operator} ${action} ${subject}`))
    .map(({ operator, action, subject = "" }) => ({
      ids: [subject, operator],
      what: `${action} was answered with success and is not in the audit log`,
    }));
}

/** Actions that are also answered with success where everything is already in the requested state. */
const MAY_CHANGE_NOTHING: ReadonlySet<string> = new Set(["webhook.turned_on", "webhook.secret_activated"]);

function unexplained(operations: OperatorEntry[], audit: AuditRow[]): Found[] {
  const actions = Map.groupBy(
    operations.filter(mayHaveHadEffect),
    ({ operator, action }) => `${operator} ${action}`,
  );
  return [...Map.groupBy(audit, keyOf).values()].flatMap((entries) => {
    const [{ actor, action, subject } = { actor: "", action: "", subject: "" }] = entries;
    if (OF_SERVICES.has(action)) return [];
    if (action === CONSENT.entry) {
      const isApproval = (each: OperatorEntry) =>
        each.operator === actor && each.action === CONSENT.of && each.subject === subject;
      if (operations.some(isApproval)) return [];
      return [{ ids: [subject, actor], what: `an entry ${action}, and no such attempt` }];
    }
    const attempted = ATTEMPTED[action];
    if (attempted !== undefined) {
      const isAttempt = (each: OperatorEntry) =>
        each.operator === actor && each.action === attempted && each.subject === subject;
      if (operations.some((each) => isAttempt(each) && mayHaveBeenRefused(each))) return [];
      return [{ ids: [subject, actor], what: `an entry ${action}, and no such attempt` }];
    }
    const able = [action, ...(BESIDE[action] ?? [])]
      .flatMap((made) => actions.get(`${actor} ${made}`) ?? [])
      .filter((operation) => operation.subject === undefined || operation.subject === subject);
    if (entries.length <= able.length) return [];
    return [
      { ids: [subject, actor], what: `${entries.length} entries ${action}, ${able.length} such actions` },
    ];
  });
}

/** A command that the gateway had to send twice may find its own first copy, and is then answered with a 409. */
function mayHaveHadEffect({ status, bytesSent }: OperatorEntry): boolean {
  if (status === undefined) return bytesSent;
  return status < 300 || status === 409 || (status >= 500 && status !== 503);
}

/** Entries about services' work on people's decisions. */
const OF_SERVICES: ReadonlySet<string> = new Set(["refund.sent_to_bank"]);

/** Entries that another action makes beside its own. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  "payment.reversal_decided": ["payment.resolved"],
};

/** The entry of `payments` about an approval, which it gets first; `refunds` may refuse it then. */
const CONSENT = { entry: "refund.agreed", of: "refund.approved" } as const;

/** Entries about refused attempts, by the action attempted. A copy of an attempt is another entry. */
const ATTEMPTED: Readonly<Record<string, string>> = {
  "refund.approval_refused": "refund.approved",
  "refund.rejection_refused": "refund.rejected",
};

function mayHaveBeenRefused({ status, bytesSent }: OperatorEntry): boolean {
  return status === undefined ? bytesSent : status >= 400 && status !== 503;
}

function keyOf({ actor, action, subject }: AuditRow): string {
  return `${actor} ${action} ${subject}`;
}
