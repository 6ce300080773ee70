export type { LedgerLine } from "./bank/ledger-line.ts";
export { environmentSchema as iyzicoSimulatorSchema, type SimulatorConfig } from "./config.ts";
export type { Merchant } from "./control/merchants.ts";
export { modesSchema, type Modes } from "./control/modes.ts";
export { startIyzicoSimulator, type IyzicoSimulator } from "./iyzico-simulator.ts";
