export { simulatorConnector } from "./sim/simulator-connector.ts";
export { iyzicoConnector } from "./iyzico/iyzico-connector.ts";
export { createSimulatorAcquirer, type SimulatorAcquirerOptions } from "./sim/simulator.ts";
export { nestpayConnector } from "./nestpay/nestpay-connector.ts";
