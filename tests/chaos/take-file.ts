import { settle } from "../../services/settlement/src/settle.ts";
import type { System } from "./system/system.ts";

export type BankFile = { file: string; accountId: string; mapping: string };

/** @returns why it was not taken. */
export async function takeFile(
  { settlementOwnerUrl }: System,
  { file, accountId, mapping }: BankFile,
): Promise<string[]> {
  const words = ["import", file, "--mapping", mapping, "--account", accountId];
  const { code, output } = await settleBy(settlementOwnerUrl, words);
  const isTaken = code === 0 && output.endsWith(" 0 lines with faults\n");
  return isTaken || output.includes(NOTHING_MOVED) ? [] : [`${file} was not taken: ${output}`];
}

/** A bank's file has no line on a day without a movement. If money had moved here, no line would match it. */
const NOTHING_MOVED = "refused (empty): the file reports nothing";

/** Runs a command of settlement. */
export async function settleBy(ownerUrl: string, words: string[]): Promise<{ code: number; output: string }> {
  let output = "";
  const env = {
    MIGRATION_DATABASE_URL: ownerUrl,
    ALLOW_PLAINTEXT: "postgres",
    FILE_CHANGES_TWO_PEOPLE: "false",
  };
  const code = await settle(words, env, (text) => void (output += text));
  return { code, output };
}
