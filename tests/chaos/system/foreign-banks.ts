import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Bundle } from "@holdfast/bundle";
import { simulatorEnv, startBank, type AcquirerProcess } from "./acquirer.ts";
import type { Random } from "../random.ts";
import { nextPort } from "./port-block.ts";
import { TcpProxy } from "./tcp-proxy.ts";

/** The banks of a run beside the one of the default account, which speaks the protocol `sim`. */
export const FOREIGN_BANKS = ["nestpay", "iyzico"] as const;
export type ForeignBankName = (typeof FOREIGN_BANKS)[number];

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
};

/** A bank of a run, which is a kind one without habits. */
export type PlannedBank = { name: ForeignBankName; habits?: Habits };

/** Its clock may be off, its times of another zone than the account's, its files filled up with zeros, its payouts short. */
export function drawHabits(random: Random): Habits {
  return {
    clockOffsetSeconds: random.pick([0, -3_600, -180, -20, 40, 600]),
    zone: random.pick([null, "UTC", "Europe/Belgrade", "Asia/Dubai"]),
    cells: random.pick(["usual", "odd"]),
    payouts: random.pick(["whole", "short"]),
  };
}

type Place = { dir: string; programs: Bundle; log: (name: string) => string };

export async function startForeignBank(
  { name, habits }: PlannedBank,
  { dir, programs, log }: Place,
): Promise<ForeignBank> {
  const port = await nextPort();
  const { prefix, own, account } = PROTOCOLS[name](port);
  const ledgerFile = join(dir, `${name}-ledger.ndjson`);
  const bank = await startBank({
    name,
    command: [programs.simulators["bank-simulator"], name],
    port,
    env: simulatorEnv(prefix, { port, ledgerFile }, { ...own, UNKINDNESS: JSON.stringify(habits ?? {}) }),
    logFile: log(name),
  });
  const link = await TcpProxy.start(port);
  const common = { protocol: name, name, currencies: ["TRY"], lateArrivalSeconds: LATE_ARRIVAL_S };
  return {
    ...bank,
    name,
    ...(habits && { habits }),
    url: `http://127.0.0.1:${port}`,
    link,
    account: { ...common, ...account(`http://127.0.0.1:${link.port}`) },
  };
}

/** Longer than a frozen bank keeps a request. */
const LATE_ARRIVAL_S = 22;

type Protocol = {
  prefix: string;
  own: Record<string, string>;
  account: (url: string) => { settings: object; secrets: object };
};

const PROTOCOLS: Record<ForeignBankName, (port: number) => Protocol> = { nestpay, iyzico };

/**
 * A bank that pays back on the day, too: a part that waits for the day's end waits by our clock, and a run has no whole
 * day. Its day ends on request, in the middle of everything.
 */
function nestpay(port: number): Protocol {
  const [password, storeKey] = [drawSecret(), drawSecret()];
  const store = { clientId: "990000001", name: "api", password, storeKey, options: { sameDayCredit: true } };
  return {
    prefix: "NESTPAY_SIMULATOR",
    own: {
      REVERSAL: "1s",
      MERCHANTS: JSON.stringify([store]),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    account: (url) => ({
      settings: {
        apiUrl: `${url}/fim/api`,
        gateUrl: `${url}/fim/est3Dgate`,
        clientId: store.clientId,
        creditBeforeDayEnd: true,
      },
      secrets: { apiUser: store.name, apiPassword: password, storeKey },
    }),
  };
}

function iyzico(port: number): Protocol {
  const [apiKey, secretKey] = [drawSecret(), drawSecret()];
  return {
    prefix: "IYZICO_SIMULATOR",
    own: {
      MERCHANTS: JSON.stringify([{ apiKey, secretKey, merchantId: "9001" }]),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    account: (url) => ({
      settings: {
        url,
        defaults: {
          email: "orders@shop.example",
          identityNumber: "11111111111",
          ip: "203.0.113.1",
          address: { line1: "Harbour Street 1", city: "Izmir", country: "Turkey" },
          item: { name: "Order", category: "Goods", kind: "virtual" },
        },
      },
      secrets: { apiKey, secretKey },
    }),
  };
}

/** Letters and digits, which each bank takes. */
function drawSecret(): string {
  return randomBytes(16).toString("hex");
}
