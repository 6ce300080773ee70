export { startAcquirerSimulator, type AcquirerSimulator } from "./acquirer-simulator.ts";
export { environmentSchema as simulatorSchema, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-entry.ts";
export type { Habits, Modes } from "./modes.ts";
