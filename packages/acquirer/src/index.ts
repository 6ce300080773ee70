export type * from "./acquirer.ts";
export { REPETITIONS, type Capabilities, type Repetition } from "./capabilities.ts";
export { addressesIn, bankHostsSetting, isAtBank, type BankHosts } from "./bank-hosts.ts";
export { businessDayEnd, isSameBusinessDay } from "./business-day.ts";
export type * from "./connector.ts";
export {
  inquireAbout,
  isToldByNames,
  judge,
  namesShown,
  type Attempt,
  type Names,
  type Verdict,
} from "./judge.ts";
export { MISMATCH, PENDING } from "./kit/outcomes.ts";
export { namedBy, orderIdOf, shortOrderIdOf, type Named } from "./order-id.ts";
export { refundReference, withSubReference } from "./movement.ts";
export { retryHintOf, waitFor, type RetryHint } from "./not-sent.ts";
export { observeAcquirer } from "./observe-acquirer.ts";
export { wrapCalls } from "./wrap-calls.ts";
