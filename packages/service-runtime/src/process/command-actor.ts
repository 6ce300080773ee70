import { userInfo } from "node:os";
import { z } from "zod";
import { parseConfig } from "../settings/config.ts";

/**
 * The person who runs a command, as the audit log names them: `settle (olga)`. In a cluster a pod's user is
 * the same for all people, so `deploy/k8s/run` passes the name of the person who created the Job. A person
 * who may create Jobs can pass another name; the cluster's own audit log is the proof.
 *
 * @throws ConfigError for a malformed `COMMAND_RUN_BY`.
 */
export function commandActor(command: string, env: NodeJS.ProcessEnv): string {
  const { COMMAND_RUN_BY: person = userName() } = parseConfig(z.object(commandSettings), env);
  return `${command} (${person})`;
}

const error = "must be a name of at most 150 characters, such as olga@example.com";

/** Set by `deploy/k8s/run`; elsewhere the user of the machine is named. */
const commandSettings = {
  COMMAND_RUN_BY: z
    .string({ error })
    .regex(/^[\p{L}\p{N}@._:+/=-][\p{L}\p{N}@._:+/= -]{0,149}$/u, { error })
    .optional(),
};

/** Some platforms give a container a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
