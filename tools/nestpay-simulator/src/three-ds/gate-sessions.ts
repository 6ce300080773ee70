import { randomBytes, randomInt } from "node:crypto";

import type { Authentication } from "../bank/ledger-line.ts";
import type { BehaviourName } from "../faults/behaviours.ts";
import { mdStatusOf } from "../faults/test-cards.ts";
import type { GateForm } from "./gate-form.ts";
import type { Parameter } from "./ver3-hash.ts";

/** The address that the browser is sent back to, and the fields that it posts there. */
export type Return = { url: string; fields: Parameter[] };

export type GateSession = {
  /** The unguessable part of the page's path. */
  id: string;
  md: string;
  xid: string;
  form: GateForm;
  openedAtMs: number;
  /** Undefined while the cardholder has not answered. */
  authentication: Authentication | undefined;
  /** The return, once it is made: a second answer gets the same one. */
  returned: Promise<Return> | undefined;
  /** The fault of the form's call, which bends the return. */
  behaviour: BehaviourName;
};

/**
 * The authentications of this process and their cards, which are in memory only and end with the process. A payment whose
 * `md` is not known is refused.
 */
export class GateSessions {
  readonly #byId = new Map<string, GateSession>();
  readonly #byMd = new Map<string, GateSession>();

  open(form: GateForm, behaviour: BehaviourName, nowMs: number): GateSession {
    if (this.#byId.size >= SESSIONS_MAX) this.#forgetOldest();
    const number = randomInt(1_000, 10_000);
    const session: GateSession = {
      id: randomBytes(24).toString("base64url"),
      md: `${form.pan.slice(0, 6)}:${randomBytes(32).toString("hex").toUpperCase()}:${number}:##${form.merchant.clientId}`,
      xid: randomBytes(20).toString("base64"),
      form,
      openedAtMs: nowMs,
      authentication: undefined,
      returned: undefined,
      behaviour,
    };
    this.#byId.set(session.id, session);
    this.#byMd.set(session.md, session);
    const mdStatus = behaviour === "decline" ? "0" : mdStatusOf(form.pan);
    if (mdStatus !== "challenge") authenticate(session, mdStatus);
    return session;
  }

  find(id: string): GateSession | undefined {
    return this.#byId.get(id);
  }

  ofMd(md: string): GateSession | undefined {
    return this.#byMd.get(md);
  }

  #forgetOldest(): void {
    const [oldest] = this.#byId.values();
    if (!oldest) return;
    this.#byId.delete(oldest.id);
    this.#byMd.delete(oldest.md);
  }
}

/** Ends an authentication, once: a second answer changes nothing. */
export function authenticate(session: GateSession, mdStatus: string): void {
  const hasCavv = mdStatus === "1" || mdStatus === "4";
  session.authentication ??= {
    mdStatus,
    eci: eciOf(mdStatus, session.form.pan),
    cavv: hasCavv ? randomBytes(20).toString("base64") : "",
    xid: session.xid,
  };
}

/** True if the cardholder's time has run out. */
export function isTooLate({ openedAtMs, authentication }: GateSession, nowMs: number): boolean {
  return authentication === undefined && nowMs - openedAtMs > SESSION_LIFE_MS;
}

/** Mastercard's values run in the opposite direction to all others. */
function eciOf(mdStatus: string, pan: string): string {
  const isMastercard = /^(?:5[1-5]|2[2-7])/.test(pan);
  if (mdStatus === "1") return isMastercard ? "02" : "05";
  if (["2", "3", "4"].includes(mdStatus)) return isMastercard ? "01" : "06";
  return isMastercard ? "00" : "07";
}

/** Far more than any test or demonstration has under way. */
const SESSIONS_MAX = 10_000;
const SESSION_LIFE_MS = 15 * 60_000;
