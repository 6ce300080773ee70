import { join } from "node:path";
import type { Bundle } from "@holdfast/bundle";
import {
  bankAccount,
  bankEnvironment,
  bankProtocols,
  drawBankContracts,
  merchantsAt,
  type BankProtocol,
} from "@holdfast/sandbox/banks";
import { bankSettings, startBank, type AcquirerProcess } from "./acquirer.ts";
import type { Random } from "../random.ts";
import { nextPort } from "./port-block.ts";
import { TcpProxy } from "./tcp-proxy.ts";

/** A run's banks in addition to the default account's, which uses the protocol `sim`. */
export const FOREIGN_BANKS = bankProtocols;
export type ForeignBankName = BankProtocol;

/** A bank with one account for our merchants. */
export type ForeignBank = AcquirerProcess & {
  name: ForeignBankName;
  habits?: Habits;
  url: string;
  /** All processes reach it over this one link: an account has one address. */
  link: TcpProxy;
  /** The body of POST /operator/acquirer-accounts. */
  account: Record<string, unknown>;
};

/** Properties that a bank has for a whole run, whether its process ends or not. */
export type Habits = {
  clockOffsetSeconds: number;
  zone: string | null;
  cells: "usual" | "odd";
  payouts: "whole" | "short";
  repeatsLines: boolean;
};

/** A bank of a run, which is a kind one without habits. */
export type PlannedBank = { name: ForeignBankName; habits?: Habits };

/**
 * Random habits: a wrong clock, times of another zone than the account's, files filled up with zeros or with
 * a line of the previous day, short payouts.
 */
export function drawHabits(random: Random): Habits {
  return {
    clockOffsetSeconds: random.pick([0, -3_600, -180, -20, 40, 600]),
    zone: random.pick([null, "UTC", "Europe/Belgrade", "Asia/Dubai"]),
    cells: random.pick(["usual", "odd"]),
    payouts: random.pick(["whole", "short"]),
    repeatsLines: random.chance(0.5),
  };
}

type Place = { dir: string; programs: Bundle; log: (name: string) => string };

export async function startForeignBank(
  { name, habits }: PlannedBank,
  { dir, programs, log }: Place,
): Promise<ForeignBank> {
  const port = await nextPort();
  const url = `http://127.0.0.1:${port}`;
  const ledgerFile = join(dir, `${name}-ledger.ndjson`);
  const contracts = drawBankContracts();
  const own = {
    ...merchantsAt(name, contracts),
    ...OWN[name],
    PUBLIC_URL: url,
    UNKINDNESS: JSON.stringify(habits ?? {}),
  };
  const bank = await startBank({
    name,
    command: [programs.simulators["bank-simulator"], name],
    port,
    env: bankEnvironment(name, bankSettings({ port, ledgerFile }, own)),
    logFile: log(name),
  });
  const link = await TcpProxy.start(port);
  const account = bankAccount(name, `http://127.0.0.1:${link.port}`, contracts);
  return {
    ...bank,
    name,
    ...(habits && { habits }),
    url,
    link,
    account: { ...account, name, currencies: ["TRY"], lateArrivalSeconds: LATE_ARRIVAL_S },
  };
}

/** Longer than a frozen bank keeps a request. */
const LATE_ARRIVAL_S = 22;

/** A run has no whole day: its day ends on request, in the middle of everything. */
const OWN: Partial<Record<ForeignBankName, Record<string, string>>> = {
  // Pays a part back on the day, too, since a part that waits for the day's end waits by our clock.
  nestpay: { REVERSAL: "1s", MODES: JSON.stringify({ sameDayCredit: true }) },
};
