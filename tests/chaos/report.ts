import type { Ledgers } from "../checker/index.ts";
import type { InflictedFault } from "./faults.ts";

/** Describes a run in numbers: a run that passed without faults, or without payments, proves nothing. */
export function describeRun(
  ledgers: Ledgers,
  faults: readonly InflictedFault[],
  failpointHits: number,
): string {
  const { history, payments, paymentHistory, bank, checkouts, checkoutPayments, visits } = ledgers;
  const { refunds, operations, received, acceptedEvents } = ledgers;
  const ofCheckouts = new Set(checkoutPayments.map(({ paymentId }) => paymentId));
  const attempts = payments.filter(({ paymentId }) => ofCheckouts.has(paymentId));
  const posts = history.filter(({ method }) => method === "POST");
  const answers = posts.map(({ status, replayed }) =>
    replayed ? `${status} replayed` : `${status ?? "none"}`,
  );
  return [
    `requests: ${history.length}, of which POST ${posts.length}: ${tally(answers)}`,
    `payments: ${payments.length}: ${tally(payments.map(({ state, resultCode }) => `${state} ${resultCode}`))}`,
    `causes of the payments' states: ${tally(paymentHistory.map(({ cause }) => cause))}`,
    `operations at the bank: ${tally(bank.map(({ operation, outcome, resultCode }) => `${operation} ${outcome} ${resultCode}`))}`,
    `checkouts: ${checkouts.length}: ${tally(checkouts.map(({ state, attempts }) => `${state} after ${attempts}`))}`,
    `payments of checkouts: ${tally(attempts.map(({ state, resultCode }) => `${state} ${resultCode}`))}`,
    `visits of the checkout page: ${visits.length}: ${tally(visits.map(({ action, status, shown }) => `${action} ${shown ?? status ?? "none"}`))}`,
    `operations at each account: ${tally(bank.map(({ accountId, operation }) => `${accountId.slice(-4)} ${operation}`))}`,
    `refunds: ${refunds.length}: ${tally(refunds.map(({ kind, state }) => `${kind} ${state}`))}`,
    `operators' actions: ${operations.length}: ${tally(operations.map(({ action, status, code }) => `${action} ${code ?? status ?? "none"}`))}`,
    `webhooks: ${acceptedEvents.length} events, ${received.length} attempts: ${tally(received.map(({ answered }) => `${answered ?? "none"}`))}`,
    `faults injected: ${faults.length}: ${tally(faults.map(({ fault }) => nameOf(fault)))}`,
    `overlapping pairs of faults: ${overlaps(faults)}; at most ${mostAtOnce(faults)} faults at the same time; failpoints hit: ${failpointHits}`,
  ].join("\n");
}

function nameOf(fault: InflictedFault["fault"]): string {
  switch (fault.kind) {
    case "kill":
    case "terminate":
    case "stop":
      return `${fault.kind} ${fault.process.split("-")[0]}`;
    case "failpoint":
      return fault.setting.replace(/@\d+/, "");
    case "outage":
    case "loss":
    case "freeze":
      return `${fault.kind} ${fault.server}`;
    case "business_day":
      return `${fault.bank} business day`;
    case "bank_link":
      return `${fault.fault.kind} ${fault.bank}-link`;
    case "link":
      return `${fault.fault.kind} ${fault.process.split("-")[0]}-${fault.link}`;
    case "unkindness":
      return `${fault.bank} ${Object.keys(fault.modes).join()}`;
    case "receiver":
      return `receiver ${fault.mood}`;
    case "bank":
      return `${fault.bank} ${fault.operation} ${fault.behaviour}`;
    default:
      return fault satisfies never;
  }
}

function tally(names: readonly string[]): string {
  const counts = [...Map.groupBy(names, (name) => name)].map(
    ([name, those]) => [name, those.length] as const,
  );
  return counts
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

function overlaps(faults: readonly InflictedFault[]): number {
  return faults
    .flatMap((one, index) => faults.slice(index + 1).map((other) => [one, other] as const))
    .filter(([one, other]) => one.fromMs < other.untilMs && other.fromMs < one.untilMs).length;
}

function mostAtOnce(faults: readonly InflictedFault[]): number {
  const active = ({ fromMs }: InflictedFault) =>
    faults.filter((other) => other.fromMs <= fromMs && fromMs < other.untilMs).length;
  return Math.max(0, ...faults.map(active));
}
