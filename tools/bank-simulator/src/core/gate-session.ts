import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

import type { AcsSession, Way } from "./acs.ts";
import { decimalAmount } from "./money.ts";
import type { Sessions } from "./sessions.ts";
import { eciOf, mdStatusOf } from "./test-cards.ts";

/** The result of 3-D Secure for a payment. */
export type Authentication = { mdStatus: string; eci: string; cavv: string; xid: string };

/** The parts of a form of 3-D Secure that every protocol has. */
export type AuthenticatedForm = { pan: string; amountMinor: bigint; currency: string };

/** An authentication at the gate of a bank that answers with an `mdStatus`. */
export type GateSession<Form extends AuthenticatedForm, Behaviour> = {
  /** Unguessable, as whoever names it may answer. */
  id: string;
  md: string;
  xid: string;
  form: Form;
  openedAtMs: number;
  /** Undefined while the cardholder has not answered. */
  authentication: Authentication | undefined;
  /** The return, once it is made: a second answer gets the same one. */
  returned: Promise<Way> | undefined;
  /** The fault of the form's call, which bends the return. */
  behaviour: Behaviour;
};

/** Opens a session under its id and its `md`. A payment whose `md` is not known is refused. */
export function openGateSession<Form extends AuthenticatedForm, Behaviour extends string>(
  sessions: Sessions<GateSession<Form, Behaviour>>,
  { md, xid = randomBytes(20).toString("base64") }: { md: string; xid?: string },
  form: Form,
  behaviour: Behaviour,
  openedAtMs: number,
): GateSession<Form, Behaviour> {
  const id = randomBytes(24).toString("base64url");
  const opened = { id, md, xid, form, openedAtMs, behaviour, authentication: undefined, returned: undefined };
  const session = sessions.add(opened, [id, md]);
  const mdStatus = behaviour === "decline" ? "0" : mdStatusOf(form.pan);
  if (mdStatus !== undefined) session.authentication = resultOf(session, mdStatus);
  return session;
}

function resultOf(
  { form, xid }: Pick<GateSession<AuthenticatedForm, never>, "form" | "xid">,
  mdStatus: string,
) {
  const isAttempt = ["2", "3", "4"].includes(mdStatus);
  const eci = eciOf(form.pan, mdStatus === "1" ? "authenticated" : isAttempt ? "attempted" : "failed");
  const hasCavv = mdStatus === "1" || mdStatus === "4";
  return { mdStatus, eci, cavv: hasCavv ? randomBytes(20).toString("base64") : "", xid };
}

/** A session as the issuer's pages see it. */
export function gateAcsSession<Form extends AuthenticatedForm>(
  session: GateSession<Form, unknown>,
  merchantName: string,
  makeReturn: (request: IncomingMessage) => Promise<Way>,
): AcsSession {
  const { id, form, openedAtMs, authentication } = session;
  return {
    id,
    paying: `${decimalAmount(form.amountMinor, form.currency)} ${form.currency} to ${merchantName}`,
    isOpen: authentication === undefined,
    isTooLate: (nowMs) => nowMs - openedAtMs > SESSION_LIFE_MS,
    answer: (answer) => {
      session.authentication = resultOf(session, answer === "right_code" ? "1" : "0");
    },
    // The return is made once, for all requests for it.
    back: (_, request) => (session.returned ??= makeReturn(request)),
  };
}

const SESSION_LIFE_MS = 15 * 60_000;
