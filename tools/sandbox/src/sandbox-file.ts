// DIR/sandbox.json, which other programs read to find and use a running sandbox.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SandboxBank } from "./bank-merchants.ts";
import type { Operator, SandboxPerson, StaffMember } from "./operators.ts";
import { replaceFile } from "./replace-file.ts";
import type { Merchant } from "./secrets.ts";
import type { SandboxTestMode } from "./test-mode.ts";

/**
 * The file's content. All URLs of the product are http; `processes` has the pid of each running process that
 * answers.
 */
export type SandboxFile = {
  ready: true;
  gatewayUrl: string;
  operatorUrl: string;
  /** The API for the demo merchant's staff. */
  staffUrl: string;
  publicUrl: string;
  /** The console; `people` can sign in there with one click. */
  consoleUrl: string;
  acquirerUrl: string;
  /**
   * The URL of the user `observer`, who may subscribe to everything and publish everything: for looking into
   * the bus, as databaseUrl is for the database. The URL contains user and password; a client that does not
   * read them there (nats.js) needs them by name.
   */
  natsUrl: string;
  /** The URL of the superuser of the database `holdfast`, for looking into it. */
  databaseUrl: string;
  caFile: string;
  receiver: { certFile: string; keyFile: string };
  /** The default account, at the acquirer simulator. */
  accountId: string;
  merchants: Merchant[];
  /** A second key of the first merchant, with which nothing is live. */
  testMode: SandboxTestMode;
  /** The banks of `--banks`; absent without it. */
  banks?: SandboxBank[];
  operators: Operator[];
  /** The demo merchant's staff. */
  staff: StaffMember[];
  people: SandboxPerson[];
  processes: Record<string, number>;
  logs: string;
  /** Each service's health: `/livez`, `/readyz`, `/metrics`. */
  healthUrls: Record<string, string>;
};

export const sandboxFileName = "sandbox.json";

/** Writes the file again for each change of the processes, but not after it has been removed. */
export function createSandboxFile(
  home: string,
  contents: Omit<SandboxFile, "processes">,
): { update(processes: Record<string, number>): void; remove(): void } {
  const path = join(home, sandboxFileName);
  let removed = false;
  return {
    update(processes) {
      if (!removed) replaceFile(path, `${JSON.stringify({ ...contents, processes }, null, 2)}\n`, 0o600);
    },
    remove() {
      removed = true;
      rmSync(path, { force: true });
    },
  };
}
