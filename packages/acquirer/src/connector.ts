import type { z } from "zod";
import type { Acquirer, NotSent } from "./acquirer.ts";
import type { Capabilities } from "./capabilities.ts";

/** A connector whose settings and secrets are checked by its own schemas before it is used. */
// oxlint-disable-next-line typescript/no-explicit-any -- each connector has its own, and only its schemas make them
export type AnyConnector = AcquirerConnector<any, any>;

/** What speaks one acquirer's protocol, for any number of accounts. It keeps nothing between calls but connections. */
export interface AcquirerConnector<Settings = unknown, Secrets = unknown> {
  /** `sim`, `nestpay`, `iyzico`. */
  readonly protocol: string;
  /** Settings of an account that are no secret: addresses, client id, defaults. Checked when they are written. */
  readonly settings: z.ZodType<Settings>;
  /** User names, passwords, store keys: checked before they are sealed. */
  readonly secrets: z.ZodType<Secrets>;
  /** ISO 4217 codes that the protocol can carry; empty where it can carry all. */
  readonly currencies: readonly string[];
  capabilities(settings: Settings): Capabilities;
  connect(account: ConnectedAccount<Settings>, secrets: Secrets, wire: AcquirerWire): ProbedAcquirer;
  /**
   * Reads what the acquirer sent by itself: a pure function, absent where the protocol has no notifications that prove who
   * sent them. What is genuine is a hint to inquire about what it names, and never a word on money.
   */
  readNotification?(notification: BankNotification, secrets: Secrets): ReadNotification;
}

/** An account at an acquirer, under one version of its settings and secrets. */
export type ConnectedAccount<Settings> = {
  accountId: string;
  version: number;
  settings: Settings;
  businessDay: BusinessDay;
};

/** When an acquirer's day ends: `cutOff` is HH:MM in `timeZone` (IANA). */
export type BusinessDay = { timeZone: string; cutOff: string };

/** How an account is reached; nothing of it is the protocol's. */
export type AcquirerWire = {
  connectionsMax: number;
  connectTimeoutMs: number;
  /** PEM of a certificate authority, where it is none of the public ones. */
  ca?: string;
  /**
   * Asked before each call over the network, where the account may make so many a minute.
   * @returns why the call must not be made now, or undefined when its turn has come.
   */
  turn?: (until: Date) => Promise<NotSent | undefined>;
  /** Takes http:// addresses elsewhere than on this machine, too. */
  allowPlaintext: boolean;
};

export interface ProbedAcquirer extends Acquirer {
  /** A call that moves nothing and tells a wrong password from a host that cannot be reached. */
  probe(waitUntil: Date): Promise<ProbeOutcome>;
}

export type ProbeOutcome =
  | { kind: "ok" }
  /** It answered, and does not know our user, password or key. */
  | { kind: "credentials"; detail: string }
  /** No connection, or no answer of the protocol. */
  | { kind: "unreachable"; detail: string };

/** What came to the address of an account, as it came. */
export type BankNotification = {
  /** By lower-case names; one that came twice is missing. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
};

export type ReadNotification =
  /** It comes from who knows the account's secret, and is about what has this name there: see `namedBy`. */
  | { kind: "genuine"; name: string }
  /** Nothing may come of it. `no_secret`: the account has none that notifications are signed with. */
  | { kind: "not_genuine"; why: "no_signature" | "signature" | "malformed" | "no_secret" };
