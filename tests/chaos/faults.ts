import type { ForeignBankName } from "./system/foreign-banks.ts";
import type { LinkName } from "./system/service-process.ts";
import type { LinkFault } from "./system/tcp-proxy.ts";

/** The faults of a schedule: plain data, so that it can be printed and compared. */
export type Fault =
  /** SIGKILL, or SIGTERM and its orderly end, and started again at the end. */
  | { kind: "kill" | "terminate"; process: ProcessName }
  /** SIGSTOP, and SIGCONT at the end. */
  | { kind: "stop"; process: ProcessName }
  /** Started again with a failpoint that kills, stops or delays it, and again without it at the end. */
  | { kind: "failpoint"; process: ProcessName; setting: string }
  /** SIGKILL of a server, and started again on its data at the end. */
  | { kind: "outage"; server: "postgres" | "nats" | BankName }
  /** SIGKILL of NATS, and started again without anything that JetStream had. */
  | { kind: "loss"; server: "nats" }
  /**
   * SIGSTOP of a bank, for longer than any call waits for it, and SIGCONT at the end: it then reads the waiting
   * requests.
   */
  | { kind: "freeze"; server: BankName }
  /** A bank closes its day. */
  | { kind: "business_day"; bank: BankName }
  /** The link over which every process reaches a bank. */
  | { kind: "bank_link"; bank: BankName; fault: LinkFault }
  | { kind: "link"; process: ProcessName; link: LinkName; fault: LinkFault }
  | { kind: "bank"; bank: BankName; operation: string; behaviour: string; times: number }
  /** For a while a bank behaves as no document describes (the simulator's README, Unkindness). */
  | { kind: "unkindness"; bank: BankName; modes: Readonly<Record<string, number | boolean>> }
  /** A merchant's receiver of webhooks fails. */
  | { kind: "receiver"; shop: 0 | 1; mood: ReceiverMood };

/** The acquirer is the bank of the default account. */
export type BankName = "acquirer" | ForeignBankName;

export const PROCESSES = [
  "gateway-1",
  "gateway-2",
  "gateway-1-operator",
  "gateway-2-operator",
  "gateway-1-public",
  "gateway-2-public",
  "staff-1",
  "staff-2",
  "payments-1",
  "payments-2",
  "refunds-1",
  "refunds-2",
  "webhooks-1",
  "webhooks-2",
  "settlement-1",
  "settlement-2",
] as const;
export type ProcessName = (typeof PROCESSES)[number];

export const RECEIVER_MOODS = [
  "error",
  "redirect",
  "reset",
  "hang",
  "drip_headers",
  "drip_body",
  "slow",
  "too_late",
  "huge",
  "unsteady",
] as const;
export type ReceiverMood = (typeof RECEIVER_MOODS)[number];

export type PlannedFault = { atMs: number; durationMs: number; fault: Fault };

/** A fault as it was inflicted; times are epoch milliseconds, as the receivers' are. */
export type InflictedFault = { fault: Fault; fromMs: number; untilMs: number };

/** The subject of a fault. Two faults of one subject would end each other. */
export function subjectOf(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
    case "terminate":
    case "stop":
    case "failpoint":
      return fault.process;
    case "outage":
    case "loss":
    case "freeze":
      return fault.server;
    case "business_day":
      return `${fault.bank} business day`;
    case "bank_link":
      return `${fault.bank} link`;
    case "link":
      return `${fault.process} ${fault.link}`;
    case "bank":
      return `${fault.bank} ${fault.operation}`;
    case "unkindness":
      return `${fault.bank} ${Object.keys(fault.modes).join()}`;
    case "receiver":
      return `shop ${fault.shop}`;
    default:
      return fault satisfies never;
  }
}

/** True if a fault disturbs a dispatcher or its database: deliveries under its lease may be repeated. */
export function disturbsDeliveries(fault: Fault): boolean {
  switch (fault.kind) {
    case "kill":
    case "stop":
    case "failpoint":
      return fault.process.startsWith("webhooks");
    case "link":
      return fault.process.startsWith("webhooks") && fault.link === "database";
    case "outage":
      return fault.server === "postgres";
    case "terminate":
    case "loss":
    case "freeze":
    case "business_day":
    case "bank":
    case "bank_link":
    case "unkindness":
    case "receiver":
      return false;
    default:
      return fault satisfies never;
  }
}
