import {
  idInMode,
  mayAct,
  staffMayAct,
  type Command,
  type CommandContext,
  type CommandReply,
  type HandlerContext,
  type OperatorMessageContext,
  type OperatorRole,
  type StaffContext,
  type StaffMessageContext,
  type StaffRole,
  type StaleSignIn,
  type VerifiedOperator,
  type VerifiedStaff,
} from "@holdfast/contracts";

/** A service's way to verify operators. */
export type AdmitOperators = {
  /**
   * @returns the owner of this access token; undefined for an invalid token. Throws if that cannot be
   * decided.
   */
  verify(token: string): Promise<VerifiedOperator | undefined>;
  /** Records, before the answer, an attempt that the person's roles do not allow. */
  onForbidden(attempt: ForbiddenAttempt): Promise<void>;
};

/** A service's way to verify a merchant's staff. */
export type AdmitStaff = {
  verify(token: string): Promise<VerifiedStaff | undefined>;
  onForbidden(attempt: ForbiddenAttempt): Promise<void>;
};

export type ForbiddenAttempt = {
  actor: string;
  subject: string;
  role: OperatorRole | StaffRole;
  requestId: string;
};

/** The reason why an operator's command is not begun, and the answer to its sender. */
export type RefusedOperator = {
  outcome: "unauthorized" | "forbidden" | "stale_sign_in" | "unverifiable";
  reply: CommandReply<never>;
  actor?: string;
  error?: unknown;
};

/** Resolves to the context for the handler, or to the reason why the command is not handled. */
export type Admit = (
  command: Command,
  context: CommandContext,
) => Promise<{ context: HandlerContext } | RefusedOperator>;

/**
 * Verifies each operator's command in the service that carries it out: its token, the person's roles and, if
 * the command requires a recent sign-in, the time of the sign-in. An attacker in the sending process can
 * therefore do only what a person may do, while that person's token is valid, and nothing in anybody else's
 * name. The commands of merchants' staff are verified in the same way, and their token names the merchant. An
 * installation without staff refuses them all.
 */
export function createAdmission(
  handlers: readonly { command: Command }[],
  operators?: AdmitOperators,
  staff?: AdmitStaff,
): Admit {
  const unguarded = handlers.find(({ command }) => command.role !== undefined);
  if (unguarded && !operators)
    throw new TypeError(`${unguarded.command.subject} is served without a way to verify operators`);
  return async ({ subject, role, staffRole, recentSignIn }, carried) => {
    if (staffRole !== undefined) {
      return await admitStaff(
        staff,
        { subject, role: staffRole, recentSignIn },
        carried as StaffMessageContext,
      );
    }
    // Other contexts are passed on unchanged.
    if (role === undefined || !operators) return { context: carried as HandlerContext };
    const { requestId, deadlineAt, operator } = carried as OperatorMessageContext;
    try {
      const person = await operators.verify(operator.token);
      if (!person) return UNAUTHORIZED;
      const { subject: name, roles, staleSignIn } = person;
      if (!mayAct(roles, role)) {
        await operators.onForbidden({ actor: name, subject, role, requestId });
        return { outcome: "forbidden", reply: { outcome: "problem", code: "forbidden" }, actor: name };
      }
      if (recentSignIn && staleSignIn) return signInAgain(name, staleSignIn);
      return { context: { requestId, deadlineAt, operator: { name, person: person.person, roles } } };
    } catch (error) {
      return { outcome: "unverifiable", reply: { outcome: "not_started" }, error };
    }
  };
}

async function admitStaff(
  staff: AdmitStaff | undefined,
  { subject, role, recentSignIn }: { subject: string; role: StaffRole; recentSignIn: true | undefined },
  { requestId, deadlineAt, idempotency, staff: { token, livemode }, settings }: StaffMessageContext,
): Promise<{ context: StaffContext } | RefusedOperator> {
  try {
    const person = await staff?.verify(token);
    if (!staff || !person) return UNAUTHORIZED;
    const { subject: name, roles } = person;
    if (!staffMayAct(roles, role)) {
      await staff.onForbidden({ actor: name, subject, role, requestId });
      return { outcome: "forbidden", reply: { outcome: "problem", code: "forbidden" }, actor: name };
    }
    if (recentSignIn && person.staleSignIn) return signInAgain(name, person.staleSignIn);
    const merchant = {
      ...settings,
      merchantId: idInMode(person.merchantId, livemode),
      credentialIssuedBy: person.person,
    };
    const operator = {
      name,
      person: person.person,
      roles: new Set<OperatorRole>(),
      staffOf: person.merchantId,
    };
    return { context: { requestId, deadlineAt, idempotency, merchant, operator } };
  } catch (error) {
    return { outcome: "unverifiable", reply: { outcome: "not_started" }, error };
  }
}

/** The person proves who they are again, and then may (docs/adr/0022). */
function signInAgain(actor: string, { maxAgeS }: StaleSignIn): RefusedOperator {
  return {
    outcome: "stale_sign_in",
    reply: { outcome: "problem", code: "insufficient_user_authentication", extra: { maxAge: maxAgeS } },
    actor,
  };
}

const UNAUTHORIZED: RefusedOperator = {
  outcome: "unauthorized",
  reply: { outcome: "problem", code: "unauthorized" },
};
