export * from "./connectors.ts";
export { createSimulatorAcquirer, type SimulatorAcquirerOptions } from "./sim/simulator.ts";
