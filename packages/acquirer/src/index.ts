export type * from "./acquirer.ts";
export { createSimulatorAcquirer, type SimulatorAcquirerOptions } from "./adapters/simulator.ts";
export { movementOutcome, withSubReference, type MovementOutcome } from "./movement.ts";
export { observeAcquirer } from "./observe-acquirer.ts";
