export * from "./connectors.ts";
export { createSimulatorAcquirer, type SimulatorAcquirerOptions } from "./sim/simulator.ts";
export { IYZICO_CODE_LIST } from "./iyzico/failure-codes.ts";
export { NESTPAY_CODE_LIST } from "./nestpay/result-codes.ts";
