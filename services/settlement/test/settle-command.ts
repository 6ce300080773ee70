import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createTestDatabase,
  plantSettlementAccount,
  TEST_ACCOUNT_ID,
  type TestDatabase,
} from "@holdfast/tests/support";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { settle } from "../src/settle.ts";
import { genericFile } from "./written-file.ts";

/**
 * The command on a database, with files that it writes into `directory` first. A file is about the test's account unless
 * another one is named.
 */
export function settleCommand({ urls }: TestDatabase, directory: string) {
  let written = 0;
  const write = async (content: string | Uint8Array) => {
    const file = join(directory, `bank-${written++}.csv`);
    await writeFile(file, content);
    return file;
  };
  const run = (...args: string[]) => runWith({}, ...args);
  const runWith = async (settings: Record<string, string>, ...words: string[]) => {
    const isOfTestAccount = words[0] === "import" && !words.includes("--account");
    const args = isOfTestAccount ? [...words, "--account", TEST_ACCOUNT_ID] : words;
    let output = "";
    const env = {
      MIGRATION_DATABASE_URL: urls.settlement.owner,
      ALLOW_PLAINTEXT: "postgres",
      COMMAND_RUN_BY: "olga",
      FILE_CHANGES_TWO_PEOPLE: "false",
      ...settings,
    };
    const code = await settle(args, env, (text) => void (output += text));
    return { code, output };
  };
  return {
    write,
    run,
    /** Runs with other settings in its environment. */
    runWith,
    /** Imports a generic file of these lines. */
    take: async (...lines: string[]) =>
      await run("import", await write(genericFile(...lines)), "--mapping", "generic"),
  };
}

/** The import's id in the command's output about a file that it has imported. */
export function importIdIn(output: string): string {
  return /import (\S+):/.exec(output)![1]!;
}

/** The command with a database of its own, and a directory for the files that it is given. */
export async function startSettleCommand() {
  const database = await createTestDatabase();
  const directory = await mkdtemp(join(tmpdir(), "holdfast-settle-"));
  const query = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    withClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[]);
  await plantSettlementAccount(query);
  return {
    ...settleCommand(database, directory),
    database,
    directory,
    query,
    async close() {
      await database.drop();
      await rm(directory, { recursive: true });
    },
  };
}
