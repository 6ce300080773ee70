// PostgreSQL refuses to run as root, and a sandbox in a container or on a rented machine usually is root. This file
// decides as whom it runs, without creating a user and, in the usual case, without changing the owner of any file.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { withParentDeathSignal } from "./die-with-parent.ts";
import { postgresBinaries } from "./postgres-binaries.ts";

/**
 * The way to start PostgreSQL for a data directory. `owner` is set if new files must be given to another
 * user.
 */
export type PostgresAccount = {
  command(program: string[]): string[];
  owner?: { uid: number; gid: number };
};

/** Decides as whom PostgreSQL runs. It gets SIGINT (a fast, clean shutdown) should this process die. */
export function postgresAccount(dataDir: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { command: (program) => withParentDeathSignal("INT", program) };
  if (process.platform !== "linux") {
    throw new Error("PostgreSQL does not run as root here: use an ordinary user");
  }
  const existing = existsSync(dataDir) ? statSync(dataDir) : undefined;
  if (existing && existing.uid !== 0) return asUser(existing.uid, existing.gid);
  if (runsInUserNamespace()) return { command: inUserNamespace };
  if (!existing) return asOwnerOfPrograms();
  throw new Error(
    `${dataDir} belongs to root, and PostgreSQL cannot run in a user namespace, which it needs under root: ` +
      `run as an ordinary user, and give the directory to that user (chown -R)`,
  );
}

/**
 * Runs in a user namespace without a mapping: the process is the user `nobody` to itself, which satisfies
 * PostgreSQL, and root's own files stay its own.
 */
function inUserNamespace(program: string[]): string[] {
  return ["unshare", "-U", "--", "setpriv", "--pdeathsig", "INT", "--", ...program];
}

/**
 * True if PostgreSQL runs in a user namespace. A container's seccomp profile may forbid that, and root may not
 * enter other users' directories there.
 */
function runsInUserNamespace(): boolean {
  const [command = "", ...args] = inUserNamespace([postgresBinaries().postgres, "--version"]);
  return spawnSync(command, args).status === 0;
}

/** The owner of the programs can reach them; where that is root as well, the user `nobody` is left. */
function asOwnerOfPrograms(): PostgresAccount {
  const { uid, gid } = statSync(postgresBinaries().postgres);
  return uid === 0 ? asUser(nobody, nobody) : asUser(uid, gid);
}

function asUser(uid: number, gid: number): PostgresAccount {
  const become = ["setpriv", "--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups"];
  return {
    command: (program) => [...become, "--pdeathsig", "INT", "--", ...program],
    owner: { uid, gid },
  };
}

const nobody = 65_534;
