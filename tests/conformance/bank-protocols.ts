import type { AnyConnector } from "@holdfast/acquirer";
import { startFromEnvironment } from "@holdfast/bank-simulator";
import { CONNECTORS } from "@holdfast/banks";
import {
  bankEnvironment,
  bankProtocols,
  banks,
  drawBankContracts,
  merchantsAt,
  type BankProtocol as ForeignProtocol,
} from "@holdfast/sandbox/banks";
import { PROTOCOLS, type CheckedProtocol } from "../../tools/bank-check/src/protocols.ts";

export type AdapterName = "sim" | ForeignProtocol;
export const ADAPTERS: readonly AdapterName[] = ["sim", ...bankProtocols];

/** A bank's simulator, and the settings and credentials of an account at it. */
export type BankProtocol = {
  connector: AnyConnector;
  /** @param hangMs when the bank drops a call that it never answers. */
  start: (ledgerFile: string, hangMs?: number) => Promise<{ url: string; close(): Promise<void> }>;
  settings: (url: string) => Record<string, unknown>;
  secrets: Record<string, string>;
  /** Refused credentials; empty for a bank without any. */
  wrong: Record<string, string>;
  /** Settings of a caller whom the bank does not know, where it knows one by them. */
  wrongSettings: Record<string, string>;
};

const contracts = drawBankContracts();

export const BANK_PROTOCOLS = Object.fromEntries(ADAPTERS.map((name) => [name, playedBank(name)])) as Record<
  AdapterName,
  BankProtocol
>;

function playedBank(name: AdapterName): BankProtocol {
  const { stranger }: Pick<CheckedProtocol, "stranger"> = name === "sim" ? { stranger: {} } : PROTOCOLS[name];
  const accountAt = (url: string) =>
    name === "sim" ? { settings: { url }, secrets: {} } : banks[name].account(url, contracts);
  const { secrets } = accountAt("");
  return {
    connector: CONNECTORS.get(name)!,
    start: async (ledgerFile, hangMs = 120_000) => {
      const merchants = name === "sim" ? {} : merchantsAt(name, contracts);
      const settings = { LEDGER_FILE: ledgerFile, PORT: "0", HANG: `${hangMs}ms`, ...merchants };
      return await startFromEnvironment(name, bankEnvironment(name, settings));
    },
    settings: (url) => accountAt(url).settings,
    secrets,
    wrong: Object.fromEntries(Object.keys(secrets).map((secret) => [secret, `another-${secret}`])),
    wrongSettings: stranger.settings ?? {},
  };
}
