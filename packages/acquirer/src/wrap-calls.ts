import type { Acquirer } from "./acquirer.ts";

/** The fields of a call's outcome that say how it ended. */
export type CallOutcome = { kind: string; reason?: string };
export type Call = (request: { reference: string }) => Promise<CallOutcome>;

/**
 * Puts another function around each call that is about a payment.
 * @param wrap gets the operation's name and its call; its result has to be that call's outcome.
 */
export function wrapCalls(acquirer: Acquirer, wrap: (operation: string, call: Call) => Call): Acquirer {
  const wrapped = callsOf(acquirer).map(([operation, call]) => [operation, wrap(operation, call)]);
  return { ...acquirer, ...Object.fromEntries(wrapped) };
}

function callsOf(acquirer: Acquirer): [operation: string, call: Call][] {
  return Object.entries(acquirer).filter(([name]) => !NO_CALLS.has(name)) as [string, Call][];
}

/** Members that make no call to the acquirer, or none that is about a payment. */
const NO_CALLS: ReadonlySet<string> = new Set([
  "capabilities",
  "checkReturn",
  "missingField",
  "close",
  "probe",
]);
