export type { LedgerLine } from "./bank/ledger-line.ts";
export { environmentSchema as nestpaySimulatorSchema, type SimulatorConfig } from "./config.ts";
export { merchantsSchema, type Merchant } from "./merchants.ts";
export { defaultModes, type Modes } from "./modes.ts";
export { startNestpaySimulator } from "./nestpay-simulator.ts";
