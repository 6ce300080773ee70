import { randomBytes, randomInt } from "node:crypto";

import { decimalAmount, eciOf, mdStatusOf, Sessions, type AcsSession, type Way } from "../../core/index.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { GateForm } from "./gate-form.ts";
import type { Authentication } from "./ledger-line.ts";

export type GateSession = {
  /** Unguessable, as whoever names it may answer. */
  id: string;
  md: string;
  xid: string;
  form: GateForm;
  openedAtMs: number;
  /** Undefined while the cardholder has not answered. */
  authentication: Authentication | undefined;
  /** The return, once it is made: a second answer gets the same one. */
  returned: Promise<Way> | undefined;
  /** The fault of the form's call, which bends the return. */
  behaviour: BehaviourName;
};

/** The authentications of this process by their ids and by their `md`. A payment whose `md` is not known is refused. */
export type GateSessions = Sessions<GateSession>;

export function openSession(
  sessions: GateSessions,
  form: GateForm,
  behaviour: BehaviourName,
  openedAtMs: number,
): GateSession {
  const key = randomBytes(32).toString("hex").toUpperCase();
  const md = `${form.pan.slice(0, 6)}:${key}:${randomInt(1_000, 10_000)}:##${form.merchant.clientId}`;
  const id = randomBytes(24).toString("base64url");
  const xid = randomBytes(20).toString("base64");
  const opened = { id, md, xid, form, openedAtMs, behaviour, authentication: undefined, returned: undefined };
  const session = sessions.add(opened, [id, md]);
  const mdStatus = behaviour === "decline" ? "0" : mdStatusOf(form.pan);
  if (mdStatus !== undefined) authenticate(session, mdStatus);
  return session;
}

function authenticate(session: GateSession, mdStatus: string): void {
  const { form, xid } = session;
  const isAttempt = ["2", "3", "4"].includes(mdStatus);
  const eci = eciOf(form.pan, mdStatus === "1" ? "authenticated" : isAttempt ? "attempted" : "failed");
  const hasCavv = mdStatus === "1" || mdStatus === "4";
  const cavv = hasCavv ? randomBytes(20).toString("base64") : "";
  session.authentication = { mdStatus, eci, cavv, xid };
}

/** A session as the issuer's pages see it. */
export function acsSessionOf(session: GateSession, back: AcsSession["back"]): AcsSession {
  const { id, form, openedAtMs, authentication } = session;
  const amount = decimalAmount(form.amountMinor, form.currency);
  return {
    id,
    paying: `${amount} ${form.currency} to ${form.merchant.options.merchantName}`,
    isOpen: authentication === undefined,
    isTooLate: (nowMs) => nowMs - openedAtMs > SESSION_LIFE_MS,
    answer: (answer) => authenticate(session, answer === "right_code" ? "1" : "0"),
    back,
  };
}

const SESSION_LIFE_MS = 15 * 60_000;
