import type { z } from "zod";
import type { Acquirer, NotSent } from "./acquirer.ts";
import type { Capabilities } from "./capabilities.ts";

/** A connector whose settings and secrets are checked by its own schemas before it is used. */
// oxlint-disable-next-line typescript/no-explicit-any -- each connector has its own, and only its schemas make them
export type AnyConnector = AcquirerConnector<any, any>;

/**
 * An implementation of one acquirer's protocol, for any number of accounts. It keeps nothing between calls but
 * connections.
 */
export interface AcquirerConnector<Settings = unknown, Secrets = unknown> {
  /** The name of the protocol that accounts are made with. */
  readonly protocol: string;
  /** Settings of an account that are no secret: addresses, client id, defaults. Checked when they are written. */
  readonly settings: z.ZodType<Settings>;
  /** User names, passwords, store keys: checked before they are sealed. */
  readonly secrets: z.ZodType<Secrets>;
  /**
   * The settings and secrets that identify the contract at the bank. They are the same for all of an
   * account's payments.
   */
  readonly terminal: { settings: readonly (keyof Settings)[]; secrets: readonly (keyof Secrets)[] };
  /** ISO 4217 codes that the protocol can carry; empty if it can carry all. */
  readonly currencies: readonly string[];
  /** The bank's list of codes; absent if the codes are our own. */
  readonly codes?: CodeList;
  /**
   * The bank's name of a payment's order, as its panel shows it; absent if the order's name is `orderIdOf`.
   * `namedBy` reads it back.
   * @returns undefined for a payment that the bank cannot name: nothing of it is sent.
   */
  orderNameOf?(paymentId: string): string | undefined;
  capabilities(settings: Settings): Capabilities;
  connect(account: ConnectedAccount<Settings>, secrets: Secrets, wire: AcquirerWire): ProbedAcquirer;
  /**
   * Reads a notification of the acquirer; a pure function, absent if the protocol has no notifications that
   * prove their sender. A genuine notification is a hint to inquire about the named payment, and never
   * evidence of money.
   */
  readNotification?(notification: BankNotification, secrets: Secrets): ReadNotification;
}

/** Somebody else's list of codes, its source, and the day on which ours was compared with it. */
export type CodeList = { name: string; source: string; comparedOn: string };

/** An account at an acquirer, under one version of its settings and secrets. */
export type ConnectedAccount<Settings> = {
  accountId: string;
  version: number;
  settings: Settings;
  businessDay: BusinessDay;
};

/** The end of an acquirer's day: `cutOff` is HH:MM in `timeZone` (IANA). */
export type BusinessDay = { timeZone: string; cutOff: string };

/** The connection to an account, whatever its protocol. */
export type AcquirerWire = {
  connectionsMax: number;
  connectTimeoutMs: number;
  /** PEM of the certificate authority, unless a public one signed the certificate. */
  ca?: string;
  /**
   * Awaits the account's budget before each call over the network, if the account has one. @returns the
   * reason why the call must not be made now, or undefined if the budget allows it.
   */
  awaitBudget?: (until: Date) => Promise<NotSent | undefined>;
  /** Takes http:// addresses elsewhere than on this machine, too. */
  allowPlaintext: boolean;
};

export interface ProbedAcquirer extends Acquirer {
  /** A call that moves nothing and distinguishes a wrong password from an unreachable host. */
  probe(waitUntil: Date): Promise<ProbeOutcome>;
}

export type ProbeOutcome =
  | { kind: "ok" }
  /** The bank answered, and refuses our user, password or key. */
  | { kind: "credentials"; detail: string }
  /** The bank answered, and its wall clock differs from ours in the account's zone. */
  | { kind: "clock"; detail: string }
  /** No connection, or no answer of the protocol. */
  | { kind: "unreachable"; detail: string };

/** A message to the address of an account, as it came. */
export type BankNotification = {
  /** Headers by lower-case names; a repeated header is missing. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
};

export type ReadNotification =
  /** Signed with the account's secret, and about the order or reference `name`: see `namedBy`. */
  | { kind: "genuine"; name: string }
  /** The notification must have no effect. `no_secret`: the account has no secret for notifications. */
  | { kind: "not_genuine"; why: "no_signature" | "signature" | "malformed" | "no_secret" };
