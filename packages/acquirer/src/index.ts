export type * from "./acquirer.ts";
export { REPETITIONS, type Capabilities, type Repetition } from "./capabilities.ts";
export { businessDayEnd, isSameBusinessDay } from "./business-day.ts";
export type * from "./connector.ts";
export { inquireAbout, judge, type Attempt, type Verdict } from "./judge.ts";
export { simulatorConnector } from "./adapters/simulator-connector.ts";
export { namedBy, orderIdOf, type Named } from "./order-id.ts";
export { iyzicoConnector } from "./iyzico/iyzico-connector.ts";
export { createSimulatorAcquirer, type SimulatorAcquirerOptions } from "./adapters/simulator.ts";
export { nestpayConnector } from "./nestpay/nestpay-connector.ts";
export { acquirerHabitSettings } from "./habit-settings.ts";
export {
  movementOutcome,
  refundReference,
  withSubReference,
  type MovementOutcome,
  type Sending,
} from "./movement.ts";
export { hindranceOf, waitFor, type Hindrance } from "./not-sent.ts";
export { observeAcquirer } from "./observe-acquirer.ts";
export { wrapCalls } from "./wrap-calls.ts";
