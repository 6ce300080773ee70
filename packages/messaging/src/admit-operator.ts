import {
  mayAct,
  type Command,
  type CommandContext,
  type CommandReply,
  type HandlerContext,
  type OperatorMessageContext,
  type OperatorRole,
  type VerifiedOperator,
} from "@holdfast/contracts";

/** How a service learns who an operator is. */
export type AdmitOperators = {
  /** @returns the person whose access token this is; undefined of a token that is not valid. It throws when it cannot say. */
  verify(token: string): Promise<VerifiedOperator | undefined>;
  /** Records that somebody asked for what their roles do not allow, before they hear so. */
  onForbidden(attempt: ForbiddenAttempt): Promise<void>;
};

export type ForbiddenAttempt = { actor: string; subject: string; role: OperatorRole; requestId: string };

/** Why an operator's command is not begun, and what its sender hears. */
export type RefusedOperator = {
  outcome: "unauthorized" | "forbidden" | "unverifiable";
  reply: CommandReply<never>;
  actor?: string;
  error?: unknown;
};

/** What the handler gets, or why there is no handling. */
export type Admit = (
  command: Command,
  context: CommandContext,
) => Promise<{ context: HandlerContext } | RefusedOperator>;

/**
 * Verifies the token of each operator's command, and its owner's roles, in the service that carries it out. Whoever has
 * taken over the process that sends commands can so repeat what a person may do while the person's token lives, and
 * nothing in anybody else's name.
 */
export function createAdmission(
  handlers: readonly { command: Command }[],
  operators?: AdmitOperators,
): Admit {
  const unguarded = handlers.find(({ command }) => command.role !== undefined);
  if (unguarded && !operators)
    throw new TypeError(`${unguarded.command.subject} is served without a way to verify operators`);
  return async ({ subject, role }, carried) => {
    // The other contexts are handed on as they came.
    if (role === undefined || !operators) return { context: carried as HandlerContext };
    const { requestId, deadlineAt, operator } = carried as OperatorMessageContext;
    if (operator.token === undefined) return UNAUTHORIZED;
    try {
      const person = await operators.verify(operator.token);
      if (!person) return UNAUTHORIZED;
      const { subject: name, roles } = person;
      if (mayAct(roles, role)) return { context: { requestId, deadlineAt, operator: { name, roles } } };
      await operators.onForbidden({ actor: name, subject, role, requestId });
      return { outcome: "forbidden", reply: { outcome: "problem", code: "forbidden" }, actor: name };
    } catch (error) {
      return { outcome: "unverifiable", reply: { outcome: "not_started" }, error };
    }
  };
}

const UNAUTHORIZED: RefusedOperator = {
  outcome: "unauthorized",
  reply: { outcome: "problem", code: "unauthorized" },
};
